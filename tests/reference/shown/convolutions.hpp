// Full entries of the reference: convolutions, pools, normalization, random numbers, single ops of layers.

// conv2d
// x: images, [images, rows, columns, channels]
// filter: the weights, [rows, columns, channels, outputs]
// options: strides, padding, dilations of the filter
// Returns a handle to the result, [images, rows, columns, outputs].
const shown conv2d_("conv2d", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({1, 2, 2, 1}, {1, 2, 3, 4}));
  const auto filter = g.constant(fg::tensor<float>({2, 2, 1, 1}, {1, 1, 1, 1}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::conv2d(x, filter, {.padding = fg::padding::valid})));
  std::cout << fg::to_string(y.shape()) << " " << y[0] << "\n";
  // prints: [1,1,1,1] 10

  try {
    fg::conv2d(x, g.constant(fg::tensor<float>({2, 2, 3, 1})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the depth of the images must be a multiple of that of the filter; found Const float[1,2,2,1], Const_2 float[2,2,3,1]
});

// conv1d
// x: sequences, [sequences, steps, channels]
// filter: the weights, [width, channels, outputs]
// options: the stride, padding, dilation of the filter
// Returns a handle to the result, [sequences, steps, outputs].
const shown conv1d_("conv1d", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({1, 3, 1}, {1, 2, 3}));
  const auto filter = g.constant(fg::tensor<float>({2, 1, 1}, {10, 1}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::conv1d(x, filter, {.padding = fg::padding_1d::causal})));
  std::cout << y[0] << " " << y[1] << " " << y[2] << "\n";
  // prints: 1 12 23

  try {
    fg::conv1d(x, g.constant(fg::tensor<float>({2, 3, 1})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the depth of the images must be a multiple of that of the filter; found conv1d/ExpandDims_2 float[1,1,3,1],
  //   conv1d/ExpandDims_1_1 float[1,2,3,1]
});

// max_pool
// x: images, [images, rows, columns, channels]
// options: the window, strides, padding
// Returns a handle to the maximum of each window.
const shown max_pool_("max_pool", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({1, 2, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::max_pool(x)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 6 8

  try {
    fg::max_pool(x, {.window = {0, 2}});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: ksize must be 4 positive numbers; found Const float[1,2,4,1]
});

// avg_pool
// x: images, [images, rows, columns, channels]
// options: the window, strides, padding
// Returns a handle to the mean of each window.
const shown avg_pool_("avg_pool", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({1, 2, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::avg_pool(x)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 3.5 5.5

  try {
    fg::avg_pool(x, {.window = {0, 2}});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: ksize must be 4 positive numbers; found Const float[1,2,4,1]
});

// bias_add
// x: a batch
// bias: the bias of each channel
// f: the position of the channels: the last axis or the second axis
// Returns a handle to the sums, which have the shape of x.
const shown bias_add_("bias_add", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 2}, {1, 2, 3, 4}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::bias_add(x, g.constant(fg::tensor<float>({2}, {10, 20})))));
  std::cout << y[0] << " " << y[1] << " " << y[2] << " " << y[3] << "\n";
  // prints: 11 22 13 24

  try {
    fg::bias_add(x, g.constant(fg::tensor<float>({3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the bias must have one element per channel; found Const float[2,2], Const_2 float[3]
});

// fused_batch_norm
// Normalizes each channel of images by its mean and variance. In training, these are computed from the batch; otherwise, they
// are the given averages.
// a: whether to train, epsilon, how fast the averages change
// x: images, [images, rows, columns, channels]
// scale: a factor for each channel
// offset: an offset for each channel
// mean: the average of the means so far; in training it may be empty
// variance: the average of the variances so far; in training it may be empty
// Returns the normalized images and the averages updated with this batch: `auto [y, mean, variance]`.
const shown fused_batch_norm_("fused_batch_norm", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({1, 1, 2, 1}, {1, 3}));
  const auto one = g.constant(fg::tensor<float>({1}, {1})), zero = g.constant(fg::tensor<float>({1}));
  const auto [y, mean, variance] = fg::fused_batch_norm({.epsilon = 0.f}, x, one, zero, zero, one);
  fg::session s(g);
  const auto [normalized, average] = s.run(fg::fetch(y, mean));
  std::cout << normalized[0] << " " << normalized[1] << ", mean " << average[0] << "\n";
  // prints: -1 1, mean 2

  try {
    fg::fused_batch_norm({}, x, g.constant(fg::tensor<float>({3})), zero, zero, one);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: scale must be a vector of one element per channel (1); found Const float[1,1,2,1], Const_3 float[3], Const_2
  //   float[1], Const_2 float[1], Const_1 float[1]
});

// top_k
// x: the elements; the rows are along the last axis
// k: the number of elements to return for each row
// sorted: whether the elements are returned in descending order
// Returns the elements and their indices: `auto [values, indices]`.
const shown top_k_("top_k", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({4}, {3, 9, 1, 7}));
  const auto [values, indices] = fg::top_k(x, g.constant(2));
  fg::session s(g);
  const auto [best, at] = s.run(fg::fetch(values, indices));
  std::cout << best[0] << " " << best[1] << " at " << at[0] << " " << at[1] << "\n";
  // prints: 9 7 at 1 3

  try {
    fg::top_k(x, g.constant(5));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected rows of at least k = 5 elements; found Const float[4], Const_2 int32[]
});

// dropout
// x: the elements
// rate: the probability that an element becomes 0, in [0, 1)
// seed: the seed; empty: a seed derived from the seed of the graph
// Returns a handle to the result, which has the shape of x.
// No error: the function does not check the rate.
// Guide: build_a_model.md
const shown dropout_("dropout", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({4}, {1, 1, 1, 1}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::dropout(x, 0.5f, 1)));
  std::cout << y[0] << " " << y[1] << " " << y[2] << " " << y[3] << "\n";
  // prints: 0 2 0 0
});

// multinomial
// logits: the logarithm of the probability of each class, up to a constant, [rows, classes]
// count: the number of draws for each row
// seed: the seed; empty: a seed derived from the seed of the graph
// Returns a handle to the indices of the drawn classes, [rows, count].
const shown multinomial_("multinomial", [] {
  fg::graph g;
  const auto logits = g.constant(fg::tensor<float>({1, 3}, {-1000, 0, -1000}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::multinomial(logits, 2)));
  std::cout << fg::to_string(y.shape()) << " " << y[0] << " " << y[1] << "\n";
  // prints: [1,2] 1 1

  try {
    fg::multinomial(g.constant(fg::tensor<float>({3})), 2);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: logits must be a matrix; found Const_1 float[3], Multinomial/num_samples_1 int32[]
});

// random/initializer.hpp: random_uniform
// s: the shape of the variable
// min: the smallest number
// max: the end of the range, which is never drawn
// seed: the seed; empty: a seed derived from the seed of the graph
// Returns an initializer for graph::variable.
// No error: the initializer only describes the value.
const shown initial_uniform("random/initializer.hpp: random_uniform", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::random_uniform<float>({1000}, 2, 3, 1));
  fg::session s(g);
  s.initialize();
  const auto [low, high] = s.run(fg::fetch(fg::min(w), fg::max(w)));
  std::cout << (low.scalar() >= 2 && high.scalar() < 3) << "\n";
  // prints: 1
});

// random/initializer.hpp: random_normal
// s: the shape of the variable
// mean: the mean
// stddev: the standard deviation
// seed: the seed; empty: a seed derived from the seed of the graph
// Returns an initializer for graph::variable.
// No error: the initializer only describes the value.
const shown initial_normal("random/initializer.hpp: random_normal", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::random_normal<float>({1000}, 5, 0.01, 1));
  fg::session s(g);
  s.initialize();
  std::cout << (std::abs(s.run(fg::fetch(fg::mean(w))).scalar() - 5) < 0.01f) << "\n";
  // prints: 1
});

// random/random.hpp: random_uniform
// g: the graph
// dims: the shape, as a handle to a vector
// extents: the shape
// o: the range and the seed
// Returns a handle to the numbers, which are drawn again in each run.
// Guide: threads_and_determinism.md
const shown drawn_uniform("random/random.hpp: random_uniform", [] {
  fg::graph g;
  const auto x = fg::random_uniform<std::int32_t>(g, fg::shape{1000}, {.min = 1, .max = 7, .seed = 1});
  const auto [low, high] = fg::session(g).run(fg::fetch(fg::min(x), fg::max(x)));
  std::cout << low.scalar() << " " << high.scalar() << "\n";
  // prints: 1 6

  const auto empty = fg::random_uniform<std::int32_t>(g, fg::shape{2}, {.min = 3, .max = 3});
  std::cout << fg::session(g).try_run(fg::fetch(empty)).error().message() << "\n";
  // error: need minval < maxval, found 3 and 3
});

// random/random.hpp: random_normal
// g: the graph
// dims: the shape, as a handle to a vector
// extents: the shape
// o: the mean, the standard deviation and the seed
// Returns a handle to the numbers, which are drawn again in each run.
// Guide: threads_and_determinism.md
const shown drawn_normal("random/random.hpp: random_normal", [] {
  fg::graph g;
  const auto x = fg::random_normal<float>(g, fg::shape{1000}, {.mean = 5, .stddev = 0.01f, .seed = 1});
  std::cout << (std::abs(fg::session(g).run(fg::fetch(fg::mean(x))).scalar() - 5) < 0.01f) << "\n";
  // prints: 1

  const auto dims = g.placeholder<std::int32_t>("dims", {1});
  const auto y = fg::random_normal<float>(g, dims);
  std::cout << fg::session(g).try_run(fg::fetch(y), {{dims, fg::tensor<std::int32_t>({1}, {-2})}}).error().message() << "\n";
  // error: extents must not be negative, found -2; found dims int32[1]
});
