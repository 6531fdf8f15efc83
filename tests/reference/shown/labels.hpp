// Full entries of the reference: whole steps of recurrent networks in one op, and labels of sequences.

// block_lstm
// x: the sequences, {time, batch, inputs}
// initial: the state before the first step, {batch, units}
// weights: the weights: `.w`, `.b`, and the peepholes if there are any
// o: the bias of the forget gate, the limit of the memory, the number of steps
// Returns the states of all steps, {time, batch, units}: the memories `.c` and the outputs `.h`.
const shown block_lstm_("block_lstm", [] {
  fg::graph g;
  const auto zero = g.constant(fg::tensor<float>({1, 1}));
  const fg::block_lstm_weights<float> weights{.w = fg::fill(fg::shape{2, 4}, g.constant(0.5f)),
                                              .b = fg::fill(fg::shape{4}, g.constant(0.f))};
  const auto states = fg::block_lstm(g.constant(fg::tensor<float>({2, 1, 1}, {1, -1})), {zero, zero}, weights);
  fg::session s(g);
  const auto h = s.run(fg::fetch(states.h));
  std::cout << fg::to_string(h.shape()) << " " << h[0] << "\n";
  // prints: [2,1,1] 0.17427

  try {
    fg::block_lstm(g.constant(fg::tensor<float>({2, 1, 3})), {zero, zero}, weights);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: w must have the shape [4,4], found [2,4]; found steps_1 int64[], Const_4 float[2,1,3], Const float[1,1], Const
  //   float[1,1], Fill float[2,4], StopGradient_1 float[1], StopGradient_1 float[1], StopGradient_1 float[1], Fill_1
  //   float[4]
});

// lstm_block_cell
// x: the input of the step, {batch, inputs}
// state: the state before the step
// weights: the weights: `.w`, `.b`, and the peepholes if there are any
// o: the bias of the forget gate, the limit of the memory
// Returns the state after the step. Its member `.h` is the output of the step.
const shown lstm_block_cell_("lstm_block_cell", [] {
  fg::graph g;
  const auto one = fg::fill(fg::shape{1, 1}, g.constant(1.f));
  const fg::block_lstm_weights<float> weights{.w = fg::fill(fg::shape{2, 4}, g.constant(5.f)),
                                              .b = fg::fill(fg::shape{4}, g.constant(0.f))};
  const auto next = fg::lstm_block_cell(one, {.c = one, .h = one}, weights, {.cell_clip = 1.5f});
  fg::session s(g);
  std::cout << s.run(fg::fetch(next.c))[0] << "\n";
  // prints: 1.5

  try {
    fg::lstm_block_cell(fg::fill(fg::shape{2, 1}, g.constant(1.f)), {.c = one, .h = one}, weights);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: cs_prev must have the shape [2,1], found [1,1]; found Fill_3 float[2,1], Fill float[1,1], Fill float[1,1],
  //   Fill_1 float[2,4], StopGradient_1 float[1], StopGradient_1 float[1], StopGradient_1 float[1], Fill_2 float[4]
});

// gru_block_cell
// x: the input of the step, {batch, inputs}
// h: the state before the step, {batch, units}
// weights: the weights of the gates, `.w_ru` and `.b_ru`, and of the candidate, `.w_c` and `.b_c`
// Returns the state after the step, {batch, units}.
const shown gru_block_cell_("gru_block_cell", [] {
  fg::graph g;
  const auto filled = [&](const fg::shape& s, float value) { return fg::fill(s, g.constant(value)); };
  const fg::block_gru_weights<float> weights{
      .w_ru = filled({2, 2}, 0), .w_c = filled({2, 1}, 0), .b_ru = filled({2}, 0), .b_c = filled({1}, 0)};
  const auto next = fg::gru_block_cell(filled({1, 1}, 1), filled({1, 1}, 3), weights);
  fg::session s(g);
  std::cout << s.run(fg::fetch(next))[0] << "\n";
  // prints: 1.5

  try {
    fg::gru_block_cell(filled({1, 2}, 1), filled({1, 1}, 3), weights);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: w_ru must have the shape [3,2], found [2,2]; found Fill_7 float[1,2], Fill_6 float[1,1], Fill float[2,2],
  //   Fill_1 float[2,1], Fill_2 float[2], Fill_3 float[1]
});

// ctc_loss
// logits: the logits of all frames, {time, batch, classes}; the last class is the blank
// labels: row b contains the labels of sequence b, in order
// lengths: the number of frames of each sequence, {batch}
// o: the treatment of repeated labels, and of sequences with more labels than frames
// Returns the loss of each sequence, {batch}.
const shown ctc_loss_("ctc_loss", [] {
  fg::graph g;
  const auto logits = g.constant(fg::tensor<float>({2, 1, 3}));
  const auto labels = fg::sparse_placeholder<std::int32_t>(g, "labels", {1, 2});
  const auto loss = fg::ctc_loss(logits, labels, g.constant(fg::tensor<std::int32_t>({1}, {2})));
  fg::session s(g);
  const fg::tensor<std::int64_t> place({1, 2}, {0, 0});
  const fg::tensor<std::int32_t> letter({1}, {1});
  // Three of nine paths are read as the label 1: 1 1, blank 1, and 1 blank.
  std::cout << s.run(fg::fetch(loss), {{labels.indices, place}, {labels.values, letter}})[0] << "\n";
  // prints: 1.09861

  const fg::tensor<std::int32_t> wrong({1}, {-1});
  const auto refused = s.try_run(fg::fetch(loss), {{labels.indices, place}, {labels.values, wrong}});
  std::cout << refused.error().message() << "\n";
  // error: sequence 0 has the label -1, expected labels in [0, 2)
});

// ctc_greedy_decode
// logits: the logits of all frames, {time, batch, classes}
// lengths: the number of frames of each sequence, {batch}
// o: the class of the blank, and whether a class that consecutive frames repeat is one label
// Returns the labels as a sparse tensor, `.labels`, and the negative sums of the largest logits, `.neg_sum_logits`.
const shown ctc_greedy_decode_("ctc_greedy_decode", [] {
  fg::graph g;
  const auto logits = g.constant(fg::tensor<float>({3, 1, 3}, {0, 4, 0, 0, 5, 0, 2, 0, 0}));
  const auto lengths = g.placeholder<std::int32_t>("lengths", {1});
  const auto read = fg::ctc_greedy_decode(logits, lengths);
  fg::session s(g);
  const fg::tensor<std::int32_t> three({1}, {3}), four({1}, {4});
  const auto [labels, sum] = s.run(fg::fetch(read.labels.values, read.neg_sum_logits), {{lengths, three}});
  std::cout << labels[0] << " " << labels[1] << ", " << sum[0] << "\n";
  // prints: 1 0, -11

  std::cout << s.try_run(fg::fetch(read.labels.values), {{lengths, four}}).error().message() << "\n";
  // error: the length of sequence 0 must be at most 3, found 4
});

// ctc_beam_search_decode
// logits: the logits of all frames, {time, batch, classes}; the last class is the blank
// lengths: the number of frames of each sequence, {batch}
// o: the width of the beam, the number of results, and whether equal labels that follow each other become one label
// Returns the results as sparse tensors, `.labels`, of which the first is the best, and their `.log_probability`.
const shown ctc_beam_search_decode_("ctc_beam_search_decode", [] {
  fg::graph g;
  // In both frames, the blank is more probable than the letter; but three of the four paths contain the letter.
  const auto logits = fg::log(g.constant(fg::tensor<float>({2, 1, 2}, {0.3f, 0.7f, 0.4f, 0.6f})));
  const auto lengths = g.constant(fg::tensor<std::int32_t>({1}, {2}));
  const auto read = fg::ctc_beam_search_decode(logits, lengths, {.beam_width = 4, .top_paths = 2});
  const auto probability = fg::exp(read.log_probability);
  fg::session s(g);
  const auto [best, second, p] = s.run(fg::fetch(read.labels[0].values, read.labels[1].values, probability));
  std::cout << best.size() << " label: " << p[0] << ", " << second.size() << " labels: " << p[1] << "\n";
  // prints: 1 label: 0.58, 0 labels: 0.42

  const auto narrow = fg::ctc_beam_search_decode(logits, lengths, {.beam_width = 1, .top_paths = 2});
  std::cout << s.try_run(fg::fetch(narrow.log_probability)).error().message() << "\n";
  // error: top_paths must be at most beam_width, 1, found 2
});
