// Lines of use of ops/nn, ops/random and ops/rnn. Each line stands in docs/reference as it is here. Functions of handles alone, such as
// relu, need none.

inline void uses_of_layers(fg::graph g) {
  const auto images = g.placeholder<float>("images", {8, 28, 28, 3}), filter = g.placeholder<float>("filter", {3, 3, 3, 16});
  const auto volumes = g.placeholder<float>("volumes", {2, 8, 8, 8, 3}), cube = g.placeholder<float>("cube", {3, 3, 3, 3, 4});
  const auto signals = g.placeholder<float>("signals", {8, 1000, 2}), taps = g.placeholder<float>("taps", {5, 2, 16});
  const auto per_channel = g.placeholder<float>("per_channel", {3, 3, 3, 2}),
             structure = g.placeholder<float>("structure", {3, 3, 3});
  const auto channels = g.placeholder<float>("channels", {3}), x = g.placeholder<float>("x", {8, 10});
  const auto logits = g.placeholder<float>("logits", {8, 10}), labels = g.placeholder<float>("labels", {8, 10});
  const auto classes = g.placeholder<std::int32_t>("classes", {8}),
             size = g.constant(fg::tensor<std::int32_t>({4}, {1, 2, 2, 1}));
  const auto two = g.constant(2);

  auto [normalized, mean, variance] = fg::fused_batch_norm({}, images, channels, channels, channels, channels);
  auto with_bias = fg::bias_add(images, channels);
  auto maps = fg::conv2d(images, filter, {.strides = {2, 2}, .padding = fg::padding::same});
  auto features = fg::conv1d(signals, taps, {.padding = fg::padding_1d::causal, .dilation = 4});
  auto volume_maps = fg::conv3d(volumes, cube, {.padding = fg::padding::valid});
  auto depthwise = fg::depthwise_conv2d(images, per_channel, {.strides = {1, 1}});
  auto dilated = fg::dilation2d(images, structure, {.rates = {2, 2}});
  auto fractional = fg::fractional_max_pool(images, {.pooling_ratio = {1, 1.4f, 1.4f, 1}});
  auto fractional_means = fg::fractional_avg_pool(images, {.pooling_ratio = {1, 1.4f, 1.4f, 1}});
  auto responses = fg::local_response_normalization(images, {.depth_radius = 2});
  auto penalty = fg::l2_loss(filter);
  auto maxima = fg::max_pool(images, {.window = {2, 2}, .strides = {2, 2}});
  auto means = fg::avg_pool(images, {.window = {3, 3}, .strides = {1, 1}, .padding = fg::padding::same});
  auto volume_maxima = fg::max_pool3d(volumes, {.window = {2, 2, 2}});
  auto volume_means = fg::avg_pool3d(volumes);
  auto [largest, places] = fg::max_pool_with_argmax({.ksize = {1, 2, 2, 1}, .strides = {1, 2, 2, 1}}, images);
  auto by_inputs = fg::max_pool_v2({.padding = fg::padding::valid}, images, size, size);
  auto probabilities = fg::softmax(logits);
  auto log_probabilities = fg::log_softmax(logits);
  auto losses = fg::softmax_cross_entropy(logits, labels);
  auto label_losses = fg::sigmoid_cross_entropy(logits, labels);
  auto class_losses = fg::sparse_softmax_cross_entropy(logits, classes);
  auto [best, which] = fg::top_k(logits, two);
  auto right = fg::in_top_k(logits, classes, two);
}

inline void uses_of_random_numbers(fg::graph g) {
  const auto x = g.placeholder<float>("x", {8, 10});
  const auto dims = g.constant(fg::tensor<std::int32_t>({2}, {3, 4})), seed = g.constant(fg::tensor<std::int32_t>({2}, {1, 2}));

  auto drawn = fg::multinomial(x, 5);
  auto thinned = fg::dropout(x, 0.5f);
  auto b = g.variable("b", fg::zeros<float>({10}));
  auto scale = g.variable("scale", fg::ones<float>({10}));
  auto w = g.variable("w", fg::glorot_uniform<float>({784, 10}));
  auto w2 = g.variable("w2", fg::glorot_normal<float>({784, 10}));
  auto w3 = g.variable("w3", fg::he_uniform<float>({784, 10}));
  auto w4 = g.variable("w4", fg::he_normal<float>({784, 10}));
  auto loaded = g.variable("loaded", fg::initial_tensor(fg::tensor<float>({2}, {1, 2})));
  auto half = g.variable("half", fg::initial_value(w * 0.5f));
  auto uniform = fg::random_uniform<float>(g, {3, 4}, {.min = -1, .max = 1});
  auto noise = fg::random_normal<float>(g, {3, 4}, {.stddev = 0.1f});
  auto close_noise = fg::truncated_normal<float>(g, {3, 4}, {.stddev = 0.1f});
  auto shuffled = fg::random_shuffle(x);
  auto same_each_run = fg::stateless_random_uniform<float>(dims, seed);
  auto same_noise = fg::stateless_random_normal<float>(dims, seed);
  auto same_close_noise = fg::stateless_truncated_normal<float>(dims, seed);

  // initializer:
  auto doubled = g.variable("doubled", fg::initial_value(w * 2.f));

  // random/initializer.hpp:
  auto c = g.variable("c", fg::constant<float>({10}, 0.1f));
  auto w5 = g.variable("w5", fg::random_uniform<float>({784, 10}, -0.1, 0.1));
  auto w6 = g.variable("w6", fg::random_normal<float>({784, 10}, 0, 0.1));
  auto w7 = g.variable("w7", fg::truncated_normal<float>({784, 10}, 0, 0.1));
}

inline void uses_of_recurrent_networks(fg::graph g) {
  const auto inputs = g.placeholder<float>("inputs", {8, 20, 16}), x = g.placeholder<float>("x", {8, 16});
  const auto memory = g.placeholder<float>("memory", {8, 30, 24}), table = g.placeholder<float>("table", {100, 16});
  const auto n = g.placeholder<std::int32_t>("n", {8}), targets = g.placeholder<std::int32_t>("targets", {8, 20});
  const auto begin = g.placeholder<std::int32_t>("begin", {8}), batch = g.constant(8);
  const auto w = g.placeholder<float>("w", {32, 100}), query = g.placeholder<float>("query", {8, 32}),
             query_64 = g.placeholder<float>("query_64", {8, 64});
  const auto tree = g.placeholder<std::int32_t>("tree", {20, 8, 4});

  // basic_rnn_cell:
  const fg::basic_rnn_cell<float> simple(g, 16, 32);

  // gru_cell:
  const fg::gru_cell<float> cell(g, 16, 32);
  auto [output, next] = cell(x, cell.zero_state(batch));

  // lstm_cell:
  const fg::lstm_cell<float> lstm(g, 16, 32, {.forget_bias = 0.f});

  // rnn/block_lstm.hpp:
  const fg::lstm_state<float> begin_state{g.placeholder<float>("c", {8, 32}), g.placeholder<float>("h", {8, 32})};
  const fg::block_lstm_weights<float> of_gates{.w = g.placeholder<float>("of_gates", {48, 128}),
                                               .b = g.placeholder<float>("b", {128})};
  auto whole = fg::block_lstm(g.placeholder<float>("by_time", {20, 8, 16}), begin_state, of_gates).h;
  auto after_step = fg::lstm_block_cell(x, begin_state, of_gates);

  // rnn/block_gru.hpp:
  const fg::block_gru_weights<float> of_gru{.w_ru = g.placeholder<float>("w_ru", {48, 64}),
                                            .w_c = g.placeholder<float>("w_c", {48, 32}),
                                            .b_ru = g.placeholder<float>("b_ru", {64}),
                                            .b_c = g.placeholder<float>("b_c", {32})};
  auto after_gru = fg::gru_block_cell(x, begin_state.h, of_gru);

  // stacked_cells:
  const fg::stacked_cells stack(lstm, fg::gru_cell<float>(g, 32, 24, {.name = "second"}));

  // dropout_cell:
  const fg::dropout_cell noisy(cell, {.keep_output = 0.8f});

  // luong_attention:
  const fg::luong_attention<float> luong(memory, 32);
  auto [context, weights] = luong(query);

  // bahdanau_attention:
  const fg::bahdanau_attention<float> bahdanau(memory, 64, 32);
  auto attended = bahdanau(query_64);

  // attention_cell:
  const fg::attention_cell attentive(fg::lstm_cell<float>(g, 16 + 24, 32, {.name = "attentive"}), luong);

  // decoder:
  const fg::decoder decoder(
      cell, [&](const auto& s) { return fg::gather(table, s); }, [&](const auto& y) { return fg::matmul(y, w); });

  auto [outputs, last] = fg::dynamic_rnn(cell, inputs, {.lengths = n});
  auto [left, right] = fg::bidirectional_rnn(cell, simple, inputs, {.lengths = n});
  auto logits = fg::teacher_forced(decoder, begin, targets);
  auto loss = fg::sequence_loss(logits, targets, n);
  auto greedy = fg::greedy_search(decoder, begin, 1, {.maximum_iterations = 40});
  auto beam = fg::beam_search(decoder, begin, 1, {.width = 4, .maximum_iterations = 40});
  auto sequences = fg::gather_tree(tree, tree, n, 1);
  auto four_each = fg::tile_batch(x, 4);
  auto for_beams = fg::tiled_cell(cell, 4);
}
