// Full entries of the reference: losses of sampled classes, and simulated quantization.

// sampled_softmax_loss
// weights: the weights of all classes, with one row per class; or a list of parts
// biases: one number per class; or a list of parts
// labels: the true classes, of the shape [batch, num_true], where num_true is known
// inputs: one row per example, as long as a row of the weights
// options: the number of sampled classes, and the number of classes
// Returns a handle to the loss of each row.
// Guide: embeddings.md#losses-of-many-classes
const shown sampled_softmax_loss_("sampled_softmax_loss", [] {
  fg::graph g;
  const auto weights = g.constant(fg::tensor<float>({3, 1}, {0, 1, 2})), biases = g.constant(fg::tensor<float>({3}, {0, 0, 0}));
  const auto labels = g.constant(fg::tensor<std::int64_t>({1, 1}, {2}));
  const auto inputs = g.constant(fg::tensor<float>({1, 1}, {1}));
  fg::session s(g);
  const auto all = fg::all_candidate_sampler(labels, {.num_sampled = 3});
  const auto loss = s.run(fg::fetch(fg::sampled_softmax_loss(weights, biases, labels, inputs, {.sampled = all})));
  std::cout << loss[0] << "\n";
  // prints: 0.407606

  const auto wrong = fg::sampled_softmax_loss(weights, biases, g.constant(fg::tensor<std::int64_t>({1, 1}, {3})), inputs,
                                              {.num_sampled = 2, .num_classes = 3});
  std::cout << s.try_run(fg::fetch(wrong)).error().message() << "\n";
  // error: a true class must be in [0, 3), found 3
});

// nce_loss
// weights: the weights of all classes, with one row per class; or a list of parts
// biases: one number per class; or a list of parts
// labels: the true classes, of the shape [batch, num_true], where num_true is known
// inputs: one row per example, as long as a row of the weights
// options: the number of sampled classes, and the number of classes
// Returns a handle to the loss of each row.
// Guide: embeddings.md#losses-of-many-classes
const shown nce_loss_("nce_loss", [] {
  fg::graph g;
  const auto weights = g.constant(fg::tensor<float>({2, 1}, {0, 0})), biases = g.constant(fg::tensor<float>({2}, {0, 0}));
  const auto labels = g.constant(fg::tensor<std::int64_t>({1, 1}, {1}));
  const auto inputs = g.constant(fg::tensor<float>({1, 1}, {1}));
  fg::session s(g);
  const auto all = fg::all_candidate_sampler(labels, {.num_sampled = 2});
  const auto loss = s.run(fg::fetch(fg::nce_loss(weights, biases, labels, inputs, {.sampled = all})));
  std::cout << loss[0] << "\n";
  // prints: 2.07944

  const auto wrong = fg::nce_loss(weights, biases, g.constant(fg::tensor<std::int64_t>({1, 1}, {-1})), inputs,
                                  {.num_sampled = 2, .num_classes = 2});
  std::cout << s.try_run(fg::fetch(wrong)).error().message() << "\n";
  // error: a true class must be in [0, 2), found -1
});

// fake_quantize_per_channel
// x: the elements, whose last axis is that of the channels
// min: the lowest number of each channel
// max: the highest number of each channel
// options: the number of bits, and whether the lowest integer is unused
// Returns a handle to the rounded elements, which have the shape of x.
// Guide: training_helpers.md#quantization-aware-training
const shown fake_quantize_per_channel_("fake_quantize_per_channel", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({1, 2}, {0.4f, 0.4f}));
  const auto low = g.constant(fg::tensor<float>({2}, {0, 0})), high = g.constant(fg::tensor<float>({2}, {3, 1.5f}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::fake_quantize_per_channel(x, low, high, fg::fake_quantize_attributes{.num_bits = 2})));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 0 0.5

  const auto row = g.placeholder<float>("row", {fg::any}), one = g.placeholder<float>("one", {fg::any});
  const auto wrong = fg::fake_quantize_per_channel(row, one, one);
  const fg::tensor<float> three({3}, {1, 2, 3}), number({1}, {1});
  std::cout << s.try_run(fg::fetch(wrong), {{row, three}, {one, number}}).error().message() << "\n";
  // error: min and max must have one element per channel: as many as the last axis; found row float[3], one float[1], one float[1]
});
