// Full entries of the reference: recurrent networks, attention, decoders.

// dynamic_rnn
// cell: the cell
// inputs: the sequences, {batch, time, inputs}
// o: the lengths, the initial state, whether time is the first axis
// Returns the outputs of all steps, {batch, time, units}, and the final state: `auto [outputs, state]`.
const shown dynamic_rnn_("dynamic_rnn", [] {
  fg::graph g;
  const fg::basic_rnn_cell<float> cell(g, 1, 1, {.kernel = [](const fg::shape& s) { return fg::ones<float>(s); }});
  const auto x = g.constant(fg::tensor<float>({1, 2, 1}, {0.5f, 0}));
  const auto [outputs, last] = fg::dynamic_rnn(cell, x);
  fg::session s(g);
  s.initialize();
  const auto [y, state] = s.run(fg::fetch(outputs, last));
  std::cout << y[0] << " " << y[1] << " " << state[0] << "\n";
  // prints: 0.462117 0.431808 0.431808

  try {
    fg::dynamic_rnn(cell, g.constant(fg::tensor<float>({2, 1})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: perm must have one element per axis (2), found 3; found Const_1 float[2,1], rnn_1/transpose/perm int32[3]
});

// bidirectional_rnn
// forward: the cell that processes the sequences from the first step to the last
// backward: the cell that processes the sequences from the last step to the first
// inputs: the sequences, {batch, time, inputs}
// o: the lengths, the initial states, whether time is the first axis
// Returns the outputs and the final state of each direction, such as `.forward.outputs` and `.backward.state`.
const shown bidirectional_rnn_("bidirectional_rnn", [] {
  fg::graph g;
  const fg::gru_cell<float> right(g, 1, 3, {.name = "right"}), left(g, 1, 3, {.name = "left"});
  const auto x = g.constant(fg::tensor<float>({1, 2, 1}, {1, 2}));
  const auto both = fg::bidirectional_rnn(right, left, x);
  const auto joined = fg::concat({both.forward.outputs, both.backward.outputs}, 2);
  fg::session s(g);
  s.initialize();
  std::cout << fg::to_string(s.run(fg::fetch(joined)).shape()) << "\n";
  // prints: [1,2,6]

  try {
    fg::bidirectional_rnn(right, left, g.constant(fg::tensor<float>({2, 1})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: perm must have one element per axis (2), found 3; found Const_1 float[2,1], bidirectional_rnn_1/fw/transpose/perm
  //   int32[3]
});

// basic_rnn_cell
const shown basic_rnn_cell_("basic_rnn_cell", [] {
  fg::graph g;
  const fg::basic_rnn_cell<float> cell(g, 1, 1, {.kernel = [](const fg::shape& s) { return fg::ones<float>(s); }});
  const auto x = g.constant(fg::tensor<float>({1, 1}, {0.5f}));
  const auto [output, next] = cell(x, cell.zero_state(g.constant(1)));
  fg::session s(g);
  s.initialize();
  std::cout << s.run(fg::fetch(output))[0] << " " << cell.output_size() << "\n";
  // prints: 0.462117 1

  try {
    cell(g.constant(fg::tensor<float>({1, 2})), cell.zero_state(g.constant(1)));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the inner dimensions differ; found basic_rnn_cell_1/ConcatV2 float[1,3], basic_rnn_cell/kernel float[2,1]
});

// lstm_cell
const shown lstm_cell_("lstm_cell", [] {
  fg::graph g;
  const fg::lstm_options<float> options{.forget_bias = 0.f, .kernel = [](const fg::shape& s) { return fg::zeros<float>(s); }};
  const fg::lstm_cell<float> cell(g, 2, 3, options);
  const fg::lstm_state<float> begin = cell.zero_state(g.constant(1));
  const auto [output, next] = cell(g.constant(fg::tensor<float>({1, 2})), {.c = begin.c + 1.f, .h = begin.h});
  fg::session s(g);
  s.initialize();
  const auto [h, c] = s.run(fg::fetch(output, next.c));
  std::cout << fg::to_string(h.shape()) << " " << c[0] << "\n";
  // prints: [1,3] 0.5

  try {
    cell(g.constant(fg::tensor<float>({1, 7})), begin);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the inner dimensions differ; found lstm_cell_1/ConcatV2 float[1,10], lstm_cell/kernel float[5,12]
});

// gru_cell
const shown gru_cell_("gru_cell", [] {
  fg::graph g;
  const fg::gru_cell<float> cell(g, 2, 3);
  const auto [output, next] = cell(g.constant(fg::tensor<float>({1, 2})), cell.zero_state(g.constant(1)));
  fg::session s(g);
  s.initialize();
  std::cout << fg::to_string(s.run(fg::fetch(output)).shape()) << "\n";
  for (const fg::any_out& v : g.variables()) std::cout << v.name() << "\n";
  // prints: [1,3]
  // prints: gru_cell/gates/kernel
  // prints: gru_cell/gates/bias
  // prints: gru_cell/candidate/kernel
  // prints: gru_cell/candidate/bias

  try {
    cell(g.constant(fg::tensor<float>({1, 7})), cell.zero_state(g.constant(1)));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the inner dimensions differ; found gru_cell_1/ConcatV2 float[1,10], gru_cell/gates/kernel float[5,6]
});

// stacked_cells
const shown stacked_cells_("stacked_cells", [] {
  fg::graph g;
  const fg::stacked_cells cell(fg::gru_cell<float>(g, 2, 3, {.name = "first"}), fg::gru_cell<float>(g, 3, 4, {.name = "second"}));
  const auto [outputs, last] = fg::dynamic_rnn(cell, g.constant(fg::tensor<float>({1, 5, 2})));
  fg::session s(g);
  s.initialize();
  const auto [y, of_first] = s.run(fg::fetch(outputs, std::get<0>(last)));
  std::cout << fg::to_string(y.shape()) << " " << fg::to_string(of_first.shape()) << "\n";
  // prints: [1,5,4] [1,3]

  try {
    fg::dynamic_rnn(cell, g.constant(fg::tensor<float>({1, 5, 7})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the inner dimensions differ; found rnn_1/while/multi_rnn_cell/cell_0/ConcatV2 float[1,10],
  //   rnn_1/while/multi_rnn_cell/cell_0/RefEnter float[5,6]
});

// dropout_cell
const shown dropout_cell_("dropout_cell", [] {
  fg::graph g;
  const fg::gru_cell<float> inner(g, 2, 1000);
  const fg::dropout_cell noisy(inner, {.keep_output = 0.5f});
  const auto [output, next] = noisy(g.constant(fg::tensor<float>({1, 2}, {1, 1})), noisy.zero_state(g.constant(1)));
  fg::session s(g);
  s.initialize();
  const auto zeros = s.run(fg::fetch(fg::mean(fg::cast<float>(fg::equal(output, 0.f))))).scalar();
  std::cout << (zeros > 0.4f && zeros < 0.6f) << "\n";
  // prints: 1

  try {
    noisy(g.constant(fg::tensor<float>({1, 7})), noisy.zero_state(g.constant(1)));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the inner dimensions differ; found gru_cell_1/ConcatV2 float[1,1007], gru_cell/gates/kernel float[1002,2000]
});

// tile_batch
// state: a tensor with the batch as first axis, or the state of a cell
// times: the number of copies of each row
// Returns the tensor or state with each row repeated `times` times in succession.
// No error: every tensor with rows can be tiled.
const shown tile_batch_("tile_batch", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 1}, {1, 2}));
  const auto y = fg::session(g).run(fg::fetch(fg::tile_batch(x, 2)));
  std::cout << y[0] << y[1] << y[2] << y[3] << "\n";
  // prints: 1122
});

// tiled_cell
// cell: the cell
// times: the number of copies of each sequence
// Returns a cell with the same weights for a batch from tile_batch.
// No error: a cell that reads only its input and state is returned unchanged.
const shown tiled_cell_("tiled_cell", [] {
  fg::graph g;
  const fg::luong_attention<float> attention(g.constant(fg::tensor<float>({1, 5, 3})), 3);
  const fg::attention_cell cell(fg::gru_cell<float>(g, 2 + 3, 3), attention);
  const auto of_beams = fg::tiled_cell(cell, 4);
  const auto [output, next] = of_beams(g.constant(fg::tensor<float>({4, 2})), of_beams.zero_state(g.constant(4)));
  fg::session s(g);
  s.initialize();
  std::cout << fg::to_string(s.run(fg::fetch(output)).shape()) << "\n";
  // prints: [4,3]
});

// luong_attention
const shown luong_attention_("luong_attention", [] {
  fg::graph g;
  const auto memory = g.constant(fg::tensor<float>({1, 5, 3}));
  const fg::luong_attention<float> attention(memory, 4);
  const auto [context, weights] = attention(g.constant(fg::tensor<float>({1, 4})));
  fg::session s(g);
  s.initialize();
  const auto [c, w] = s.run(fg::fetch(context, weights));
  std::cout << fg::to_string(c.shape()) << " " << w[0] << " " << attention.depth() << "\n";
  // prints: [1,3] 0.2 3

  try {
    attention(g.constant(fg::tensor<float>({1, 7})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: 7 elements do not make a tensor of shape [?,1,4]; found Const_2 float[1,7], luong_attention_1/Reshape/shape int32[3]
});

// bahdanau_attention
const shown bahdanau_attention_("bahdanau_attention", [] {
  fg::graph g;
  const auto memory = g.constant(fg::tensor<float>({1, 5, 3}));
  const fg::bahdanau_attention<float> attention(memory, 6, 4);
  const auto [context, weights] = attention(g.constant(fg::tensor<float>({1, 6})));
  fg::session s(g);
  s.initialize();
  const auto [c, w] = s.run(fg::fetch(context, weights));
  std::cout << fg::to_string(c.shape()) << " " << w[0] << " " << attention.depth() << "\n";
  // prints: [1,3] 0.2 3

  try {
    attention(g.constant(fg::tensor<float>({1, 7})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the inner dimensions differ; found Const_2 float[1,7], bahdanau_attention/query_layer/kernel float[6,4]
});

// attention_cell
const shown attention_cell_("attention_cell", [] {
  fg::graph g;
  const fg::luong_attention<float> attention(g.constant(fg::tensor<float>({1, 5, 3})), 4);
  const fg::attention_cell cell(fg::lstm_cell<float>(g, 2 + 6, 4), attention, 6);
  const auto [outputs, last] = fg::dynamic_rnn(cell, g.constant(fg::tensor<float>({1, 7, 2})));
  fg::session s(g);
  s.initialize();
  std::cout << fg::to_string(s.run(fg::fetch(outputs)).shape()) << "\n";
  // prints: [1,7,6]

  const fg::attention_cell too_narrow(fg::lstm_cell<float>(g, 2, 4, {.name = "narrow"}), attention, 6);
  try {
    fg::dynamic_rnn(too_narrow, g.constant(fg::tensor<float>({1, 7, 2})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the inner dimensions differ; found rnn_1/while/attention_cell/lstm_cell/ConcatV2 float[1,12],
  //   rnn_1/while/attention_cell/lstm_cell/RefEnter float[6,16]
});

// decoder
const shown decoder_("decoder", [] {
  fg::graph g;
  const auto table = g.variable("table", fg::glorot_uniform<float>({5, 2})),
             w = g.variable("w", fg::glorot_uniform<float>({3, 5}));
  const fg::decoder decoder(
      fg::gru_cell<float>(g, 2, 3), [&](const auto& s) { return fg::gather(table, s); },
      [&](const auto& y) { return fg::matmul(y, w); });
  const auto begin = g.constant(fg::tensor<std::int32_t>({1}, {4}));
  const auto [logits, next] = decoder(begin, decoder.cell.zero_state(g.constant(1)));
  fg::session s(g);
  s.initialize();
  std::cout << fg::to_string(s.run(fg::fetch(logits)).shape()) << "\n";
  // prints: [1,5]

  const auto wrong = g.constant(fg::tensor<std::int32_t>({1}, {7}));
  const auto [of_wrong, after] = decoder(wrong, decoder.cell.zero_state(g.constant(1)));
  std::cout << s.try_run(fg::fetch(of_wrong)).error().message() << "\n";
  // error: indices[0] = 7 is not in [0, 5)
});

// teacher_forced
// decoder: the decoder
// begin: the input symbol of the first step, {batch}
// targets: the correct symbols, {batch, time}
// o: the lengths and the initial state
// Returns a handle to the logits, {batch, time, symbols}.
const shown teacher_forced_("teacher_forced", [] {
  fg::graph g;
  const auto table = g.variable("table", fg::glorot_uniform<float>({5, 2})),
             w = g.variable("w", fg::glorot_uniform<float>({3, 5}));
  const fg::decoder decoder(
      fg::gru_cell<float>(g, 2, 3), [&](const auto& s) { return fg::gather(table, s); },
      [&](const auto& y) { return fg::matmul(y, w); });
  const auto begin = g.constant(fg::tensor<std::int32_t>({1}, {0})),
             targets = g.constant(fg::tensor<std::int32_t>({1, 3}, {2, 3, 1}));
  const auto logits = fg::teacher_forced(decoder, begin, targets);
  const auto loss = fg::sequence_loss(logits, targets);
  fg::session s(g);
  s.initialize();
  const auto [scores, value] = s.run(fg::fetch(logits, loss));
  std::cout << fg::to_string(scores.shape()) << " " << (value.scalar() > 0) << "\n";
  // prints: [1,3,5] 1

  try {
    fg::teacher_forced(decoder, begin, begin);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: begin and size of axis 0 must not reach beyond its extent 1; found teacher_forced_1/Shape int32[1],
  //   teacher_forced_1/Slice/begin int32[1], teacher_forced_1/Slice/size int32[1]
});

// sequence_loss
// logits: the scores, {batch, time, symbols}
// targets: the correct symbols, {batch, time}
// lengths: the lengths of the sequences; later steps are ignored
// Returns a handle to the mean loss over all steps.
const shown sequence_loss_("sequence_loss", [] {
  fg::graph g;
  const auto logits = g.constant(fg::tensor<float>({1, 2, 2}, {0, 0, 0, 0}));
  const auto targets = g.constant(fg::tensor<std::int32_t>({1, 2}, {0, 1}));
  std::cout << fg::session(g).run(fg::fetch(fg::sequence_loss(logits, targets))).scalar() << "\n";
  // prints: 0.693147

  const auto wrong = g.constant(fg::tensor<std::int32_t>({1, 2}, {0, 7}));
  std::cout << fg::session(g).try_run(fg::fetch(fg::sequence_loss(logits, wrong))).error().message() << "\n";
  // error: label 7 is not in [0, 2)
});

// greedy_search
// decoder: the decoder
// begin: the input symbol of the first step, {batch}
// end: the symbol that ends a sequence
// o: the initial state, the maximum number of steps
// Returns the symbols, {batch, time}, the lengths and the final state: `auto [symbols, lengths, state]`.
const shown greedy_search_("greedy_search", [] {
  fg::graph g;
  const auto scores = g.constant(fg::tensor<float>({4}, {0, 1, 3, 2}));
  const fg::decoder decoder(
      fg::gru_cell<float>(g, 4, 4), [&](const auto& s) { return fg::one_hot<float>(s, 4); },
      [&](const auto& y) { return 0.f * y + scores; });
  const auto begin = g.constant(fg::tensor<std::int32_t>({1}, {3}));
  const auto found = fg::greedy_search(decoder, begin, 1, {.maximum_iterations = 3});
  fg::session s(g);
  s.initialize();
  const auto [symbols, lengths] = s.run(fg::fetch(found.symbols, found.lengths));
  std::cout << symbols[0] << symbols[1] << symbols[2] << " " << lengths[0] << "\n";
  // prints: 222 3

  try {
    fg::greedy_search(decoder, g.constant(3), 1);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: begin and size of axis 0 must not reach beyond its extent 0; found greedy_search_1/Shape int32[0],
  //   greedy_search_1/Slice/begin int32[1], greedy_search_1/Slice/size int32[1]
});

// beam_search
// decoder: the decoder
// begin: the input symbol of the first step, {batch}
// end: the symbol that ends a sequence
// o: the number of sequences, the length penalty, the maximum number of steps
// Returns the sequences, the most likely first: `symbols`, {batch, time, width}, with their `lengths`, `scores` and `state`.
const shown beam_search_("beam_search", [] {
  fg::graph g;
  const fg::gru_cell<float> cell(g, 4, 4);
  const auto scores = g.constant(fg::tensor<float>({4}, {0, 2, 1, 3}));
  const fg::decoder decoder(
      cell, [&](const auto& s) { return fg::one_hot<float>(s, 4); }, [&](const auto& y) { return 0.f * y + scores; });
  const auto begin = g.constant(fg::tensor<std::int32_t>({1}, {3}));
  const auto beam = fg::beam_search(decoder, begin, 1, {.width = 2, .maximum_iterations = 2});
  fg::session s(g);
  s.initialize();
  const auto symbols = s.run(fg::fetch(beam.symbols));
  std::cout << fg::to_string(symbols.shape()) << " " << symbols(0, 0, 0) << symbols(0, 1, 0) << "\n";
  // prints: [1,2,2] 33

  try {
    fg::beam_search(decoder, g.constant(3), 1, {.width = 2});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: begin and size of axis 0 must not reach beyond its extent 0; found beam_search_1/Shape int32[0],
  //   beam_search_1/Slice/begin int32[1], beam_search_1/Slice/size int32[1]
});

// gather_tree
// symbols: the symbol of each sequence in each step, {time, batch, width}
// parents: the index of the sequence that each symbol extends, {time, batch, width}
// lengths: the number of steps for each row of the batch
// end: the symbol that ends a sequence
// Returns a handle to the sequences, {time, batch, width}.
const shown gather_tree_("gather_tree", [] {
  fg::graph g;
  const auto symbols = g.constant(fg::tensor<std::int32_t>({2, 1, 2}, {1, 2, 3, 4}));
  const auto parents = g.constant(fg::tensor<std::int32_t>({2, 1, 2}, {0, 0, 1, 0}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::gather_tree(symbols, parents, g.constant(fg::tensor<std::int32_t>({1}, {2})), 0)));
  std::cout << y(0, 0, 0) << y(1, 0, 0) << " " << y(0, 0, 1) << y(1, 0, 1) << "\n";
  // prints: 23 14

  const auto wrong = fg::gather_tree(symbols, g.constant(fg::tensor<std::int32_t>({2, 1, 2}, {0, 0, 9, 0})),
                                     g.constant(fg::tensor<std::int32_t>({1}, {2})), 0);
  std::cout << s.try_run(fg::fetch(wrong)).error().message() << "\n";
  // error: indices[0] = 9 is not in [0, 2)
});
