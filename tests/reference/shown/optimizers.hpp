// Full entries of the reference: the optimizers.

// sgd
// Guide: training.md
const shown sgd_("sgd", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>({2}, {1, -2}));
  const fg::target train = fg::sgd{.rate = 0.1f}.minimize(fg::sum(fg::square(w)));
  fg::session s(g);
  s.initialize();
  s.run(train);
  const auto after = s.run(fg::fetch(w + 0.f));
  std::cout << after[0] << " " << after[1] << "\n";
  // prints: 0.8 -1.6

  const auto x = g.placeholder<float>("x", {});
  try {
    fg::sgd{.rate = 0.1f}.minimize(x * x, w);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the loss 'Mul' does not depend on 'w' through differentiable ops; ask with allow_none to get none instead
});

// momentum
// Guide: training.md
const shown momentum_("momentum", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>({2}, {1, -2}));
  const fg::target train = fg::momentum{.rate = 0.1f, .momentum = 0.9f}.minimize(fg::sum(fg::square(w)));
  fg::session s(g);
  s.initialize();
  s.run(train);
  const auto after = s.run(fg::fetch(w + 0.f));
  std::cout << after[0] << " " << after[1] << "\n";
  // prints: 0.8 -1.6

  const auto x = g.placeholder<float>("x", {});
  try {
    fg::momentum{.rate = 0.1f, .momentum = 0.9f}.minimize(x * x, w);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the loss 'Mul' does not depend on 'w' through differentiable ops; ask with allow_none to get none instead
});

// adam
// Guide: training.md
const shown adam_("adam", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>({2}, {1, -2}));
  const fg::target train = fg::adam{.rate = 0.1f}.minimize(fg::sum(fg::square(w)));
  fg::session s(g);
  s.initialize();
  s.run(train);
  const auto after = s.run(fg::fetch(w + 0.f));
  std::cout << after[0] << " " << after[1] << "\n";
  // prints: 0.9 -1.9

  const auto x = g.placeholder<float>("x", {});
  try {
    fg::adam{.rate = 0.1f}.minimize(x * x, w);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the loss 'Mul' does not depend on 'w' through differentiable ops; ask with allow_none to get none instead
});

// adamw
// Guide: training.md
const shown adamw_("adamw", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>({2}, {1, -2}));
  const fg::target train = fg::adamw{.rate = 0.1f, .weight_decay = 0.5f}.minimize(fg::sum(fg::square(w)));
  fg::session s(g);
  s.initialize();
  s.run(train);
  const auto after = s.run(fg::fetch(w + 0.f));
  std::cout << after[0] << " " << after[1] << "\n";
  // prints: 0.85 -1.8

  const auto x = g.placeholder<float>("x", {});
  try {
    fg::adamw{.rate = 0.1f, .weight_decay = 0.5f}.minimize(x * x, w);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the loss 'Mul' does not depend on 'w' through differentiable ops; ask with allow_none to get none instead
});

// rms_prop
// Guide: training.md
const shown rms_prop_("rms_prop", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>({2}, {1, -2}));
  const fg::target train = fg::rms_prop{.rate = 0.1f}.minimize(fg::sum(fg::square(w)));
  fg::session s(g);
  s.initialize();
  s.run(train);
  const auto after = s.run(fg::fetch(w + 0.f));
  std::cout << after[0] << " " << after[1] << "\n";
  // prints: 0.824588 -1.74702

  const auto x = g.placeholder<float>("x", {});
  try {
    fg::rms_prop{.rate = 0.1f}.minimize(x * x, w);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the loss 'Mul' does not depend on 'w' through differentiable ops; ask with allow_none to get none instead
});

// adagrad
// Guide: training.md
const shown adagrad_("adagrad", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>({2}, {1, -2}));
  const fg::target train = fg::adagrad{.rate = 0.1f}.minimize(fg::sum(fg::square(w)));
  fg::session s(g);
  s.initialize();
  s.run(train);
  const auto after = s.run(fg::fetch(w + 0.f));
  std::cout << after[0] << " " << after[1] << "\n";
  // prints: 0.901227 -1.90031

  const auto x = g.placeholder<float>("x", {});
  try {
    fg::adagrad{.rate = 0.1f}.minimize(x * x, w);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the loss 'Mul' does not depend on 'w' through differentiable ops; ask with allow_none to get none instead
});

// adagrad_da
// Guide: training.md
const shown adagrad_da_("adagrad_da", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>({2}, {1, -2}));
  const fg::target train = fg::adagrad_da{.rate = 0.1f, .l1 = 0.1f}.minimize(fg::sum(fg::square(w)));
  fg::session s(g);
  s.initialize();
  s.run(train);
  const auto after = s.run(fg::fetch(w + 0.f));
  std::cout << after[0] << " " << after[1] << "\n";
  // prints: -0.0938343 0.0971967

  const auto x = g.placeholder<float>("x", {});
  try {
    fg::adagrad_da{.rate = 0.1f, .l1 = 0.1f}.minimize(x * x, w);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the loss 'Mul' does not depend on 'w' through differentiable ops; ask with allow_none to get none instead
});

// adadelta
// Guide: training.md
const shown adadelta_("adadelta", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>({2}, {1, -2}));
  const fg::target train = fg::adadelta{.rate = 1}.minimize(fg::sum(fg::square(w)));
  fg::session s(g);
  s.initialize();
  s.run(train);
  const auto after = s.run(fg::fetch(w + 0.f));
  std::cout << after[0] << " " << after[1] << "\n";
  // prints: 0.999553 -1.99955

  const auto x = g.placeholder<float>("x", {});
  try {
    fg::adadelta{.rate = 1}.minimize(x * x, w);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the loss 'Mul' does not depend on 'w' through differentiable ops; ask with allow_none to get none instead
});

// ftrl
// Guide: training.md
const shown ftrl_("ftrl", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>({2}, {1, -2}));
  const fg::target train = fg::ftrl{.rate = 0.1f, .l1 = 0.1f}.minimize(fg::sum(fg::square(w)));
  fg::session s(g);
  s.initialize();
  s.run(train);
  const auto after = s.run(fg::fetch(w + 0.f));
  std::cout << after[0] << " " << after[1] << "\n";
  // prints: 0.740115 -1.7402

  const auto x = g.placeholder<float>("x", {});
  try {
    fg::ftrl{.rate = 0.1f, .l1 = 0.1f}.minimize(x * x, w);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the loss 'Mul' does not depend on 'w' through differentiable ops; ask with allow_none to get none instead
});

// proximal_sgd
// Guide: training.md
const shown proximal_sgd_("proximal_sgd", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>({2}, {1, -2}));
  const fg::target train = fg::proximal_sgd{.rate = 0.1f, .l1 = 0.5f}.minimize(fg::sum(fg::square(w)));
  fg::session s(g);
  s.initialize();
  s.run(train);
  const auto after = s.run(fg::fetch(w + 0.f));
  std::cout << after[0] << " " << after[1] << "\n";
  // prints: 0.75 -1.55

  const auto x = g.placeholder<float>("x", {});
  try {
    fg::proximal_sgd{.rate = 0.1f, .l1 = 0.5f}.minimize(x * x, w);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the loss 'Mul' does not depend on 'w' through differentiable ops; ask with allow_none to get none instead
});

// proximal_adagrad
// Guide: training.md
const shown proximal_adagrad_("proximal_adagrad", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>({2}, {1, -2}));
  const fg::target train = fg::proximal_adagrad{.rate = 0.1f, .l1 = 0.5f}.minimize(fg::sum(fg::square(w)));
  fg::session s(g);
  s.initialize();
  s.run(train);
  const auto after = s.run(fg::fetch(w + 0.f));
  std::cout << after[0] << " " << after[1] << "\n";
  // prints: 0.876534 -1.88785

  const auto x = g.placeholder<float>("x", {});
  try {
    fg::proximal_adagrad{.rate = 0.1f, .l1 = 0.5f}.minimize(x * x, w);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the loss 'Mul' does not depend on 'w' through differentiable ops; ask with allow_none to get none instead
});

// lazy_adam
// Guide: embeddings.md
const shown lazy_adam_("lazy_adam", [] {
  fg::graph g;
  const auto table = g.variable("table", fg::tensor<float>({3}, {1, 1, 1}));
  const auto rows = fg::gather(table, g.constant(fg::tensor<std::int32_t>({1}, {2})));
  const fg::target train = fg::lazy_adam{.rate = 0.1f}.minimize(fg::sum(fg::square(rows)));
  fg::session s(g);
  s.initialize();
  s.run(train);
  const auto after = s.run(fg::fetch(table + 0.f));
  std::cout << after[0] << " " << after[1] << " " << after[2] << "\n";
  // prints: 1 1 0.9

  try {
    fg::lazy_adam{.rate = 0.1f}.minimize(g.constant(1.f), table);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the loss 'Const_2' does not depend on 'table' through differentiable ops; ask with allow_none to get none instead
});

// lazy_adamw
// Guide: embeddings.md
const shown lazy_adamw_("lazy_adamw", [] {
  fg::graph g;
  const auto table = g.variable("table", fg::tensor<float>({3}, {1, 1, 1}));
  const auto rows = fg::gather(table, g.constant(fg::tensor<std::int32_t>({1}, {2})));
  const fg::target train = fg::lazy_adamw{.rate = 0.1f, .weight_decay = 0.5f}.minimize(fg::sum(fg::square(rows)));
  fg::session s(g);
  s.initialize();
  s.run(train);
  const auto after = s.run(fg::fetch(table + 0.f));
  std::cout << after[0] << " " << after[1] << " " << after[2] << "\n";
  // prints: 1 1 0.85

  try {
    fg::lazy_adamw{.rate = 0.1f, .weight_decay = 0.5f}.minimize(g.constant(1.f), table);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the loss 'Const_2' does not depend on 'table' through differentiable ops; ask with allow_none to get none instead
});

// cosine_decay
// rate: the learning rate at step 0
// step: the number of completed steps
// decay_steps: the number of steps of the decay, after which the rate is constant
// alpha: the final rate as a fraction of the initial rate
// Returns a handle to the learning rate, for the member `rate` of an optimizer.
// No error: the rate is defined for every step.
const shown cosine_decay_("cosine_decay", [] {
  fg::graph g;
  const auto step = g.placeholder<std::int64_t>("step", {});
  const auto rate = fg::cosine_decay(0.1f, step, 1000);
  fg::session s(g);
  std::cout << s.run(fg::fetch(rate), {{step, std::int64_t{500}}}).scalar() << " "
            << s.run(fg::fetch(rate), {{step, std::int64_t{1000}}}).scalar() << "\n";
  // prints: 0.05 0
});

// global_norm
// gradients: the gradients, as returned by fg::gradients for a list
// list: variables with their gradients, as returned by an optimizer's gradients()
// Returns a handle to the square root of the sum of all squared elements.
const shown global_norm_("global_norm", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>({2}, {3, 4}));
  const auto parts = fg::sgd{.rate = 0.1f}.gradients(fg::sum(fg::square(w)) * 0.5f);
  fg::session s(g);
  s.initialize();
  std::cout << s.run(fg::fetch(fg::global_norm(parts))).scalar() << "\n";
  // prints: 5

  try {
    fg::global_norm(std::vector<fg::grad<float>>{});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: all inputs are empty handles
});

// clip_by_global_norm
// gradients: the gradients, as returned by fg::gradients for a list
// list: variables with their gradients, as returned by an optimizer's gradients()
// limit: the maximum global norm
// norm: the global norm, if it is already known
// Returns the gradients, scaled down if their norm exceeds the limit.
const shown clip_by_global_norm_("clip_by_global_norm", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>({2}, {3, 4}));
  const fg::sgd method{.rate = 1.f};
  const auto parts = method.gradients(fg::sum(fg::square(w)) * 0.5f);
  const fg::target train = method.apply(fg::clip_by_global_norm(parts, 1.f));
  fg::session s(g);
  s.initialize();
  s.run(train);
  const auto after = s.run(fg::fetch(w + 0.f));
  std::cout << after[0] << " " << after[1] << "\n";
  // prints: 2.4 3.2

  try {
    fg::clip_by_global_norm(std::vector<fg::grad<float>>{}, 1.f);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: all inputs are empty handles
});

// train/clip.hpp: clip_by_value
// g: the gradient
// low: the lower bound
// high: the upper bound
// Returns the gradient with each element clipped to [low, high]. A gradient of slices remains sparse.
// No error: a missing gradient is returned unchanged.
const shown clip_gradient("train/clip.hpp: clip_by_value", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>({2}, {3, 0.25f}));
  const auto dw = fg::gradients(fg::sum(fg::square(w)), w);
  fg::session s(g);
  s.initialize();
  const auto bounded = s.run(fg::fetch(fg::clip_by_value(dw, -1.f, 1.f).dense()));
  std::cout << bounded[0] << " " << bounded[1] << "\n";
  // prints: 1 0.5
});

// math/clip.hpp: clip_by_value
// x: the elements
// low: the lower bound
// high: the upper bound
// Returns a handle to the elements, each clipped to [low, high].
const shown clip_elements("math/clip.hpp: clip_by_value", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({3}, {-1, 0.5f, 2}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::clip_by_value(x, 0.f, 1.f)));
  std::cout << y[0] << " " << y[1] << " " << y[2] << "\n";
  // prints: 0 0.5 1

  try {
    fg::clip_by_value(x, g.constant(fg::tensor<float>({2})), 1.f);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: incompatible shapes: expected ones that broadcast; found Minimum_1 float[3], Const_1 float[2]
});
