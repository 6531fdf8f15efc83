// Full entries of the reference: help for training.

// exponential_moving_average
// Guide: training_helpers.md
const shown exponential_moving_average_("exponential_moving_average", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>(8.f));
  const fg::exponential_moving_average averages{.decay = 0.75f};
  const fg::target update = averages.apply(w);
  const fg::variable<float> smooth = averages.average(w);
  fg::session s(g);
  s.initialize();
  s.run(fg::assign(w, g.constant(4.f)));
  s.run(update);
  std::cout << s.run(fg::fetch(smooth * 1.f)).scalar() << "\n";
  // prints: 7

  const auto other = g.variable("other", fg::tensor<float>(1.f));
  try {
    averages.average(other);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: 'other' has no average 'other/ExponentialMovingAverage': apply makes it
});

// accuracy
// labels: the correct classes
// predictions: the predicted classes, with the same shape
// o: the weights of the labels, the name
// Returns a metric. `update` counts a batch; `value` is the accuracy so far.
const shown accuracy_("accuracy", [] {
  fg::graph g;
  const auto labels = g.constant(fg::tensor<std::int32_t>({4}, {0, 1, 1, 2}));
  const auto classes = g.constant(fg::tensor<std::int32_t>({4}, {0, 1, 2, 2}));
  const fg::metric hits = fg::accuracy(labels, classes);
  fg::session s(g);
  s.initialize();
  s.run(fg::fetch(hits.update));
  std::cout << s.run(fg::fetch(hits.value)).scalar() << "\n";
  // prints: 0.75

  try {
    fg::accuracy(labels, g.constant(fg::tensor<std::int32_t>({3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: accuracy: expected two handles of the same shape, found 'Const' of shape [4], 'Const_2' of shape [3]
});

// auc
// labels: true or nonzero for positives
// predictions: probabilities in [0, 1], with the same shape
// o: the curve, the number of thresholds
// Returns a metric. `update` counts a batch; `value` is the area so far.
const shown auc_("auc", [] {
  fg::graph g;
  const auto labels = g.constant(fg::tensor<std::int32_t>({4}, {0, 0, 1, 1}));
  const auto p = g.placeholder<float>("p", {4});
  const fg::metric area = fg::auc(labels, p, {.curve = fg::auc_curve::roc});
  fg::session s(g);
  s.initialize();
  s.run(fg::fetch(area.update), {{p, fg::tensor<float>({4}, {0.1f, 0.4f, 0.35f, 0.8f})}});
  std::cout << s.run(fg::fetch(area.value)).scalar() << "\n";
  // prints: 0.75

  const auto wrong = s.try_run(fg::fetch(area.update), {{p, fg::tensor<float>({4}, {0, 0, 0, 1.5f})}});
  std::cout << wrong.error().message() << "\n";
  // error: assertion failed: [auc: predictions must be in [0, 1], found ] [0 0 0...]
});

// accumulate_gradients
// Guide: training_helpers.md
const shown accumulate_gradients_("accumulate_gradients", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>(1.f));
  const auto x = g.placeholder<float>("x", {});
  const auto every_second = fg::accumulate_gradients(fg::sgd{.rate = 1.f}, {.steps = 2});
  const fg::target train = every_second.minimize(w * x);
  fg::session s(g);
  s.initialize();
  for (const float gradient : {0.25f, 0.75f}) {
    s.run(train, {{x, gradient}});
    std::cout << s.run(fg::fetch(w * 1.f)).scalar() << "\n";
  }
  // prints: 1
  // prints: 0.5

  try {
    fg::accumulate_gradients(fg::sgd{.rate = 1.f}, {.steps = 0}).minimize(w * x);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: gradients accumulate over at least 1 step, found 0
});

// loss_scale
// Guide: training_helpers.md
const shown loss_scale_("loss_scale", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>(1.f));
  const auto x = g.placeholder<float>("x", {});
  const fg::loss_scale scale(g, {.initial = 1024});
  const fg::target train = scale.minimize(fg::sgd{.rate = 0.5f}, w * x);
  fg::session s(g);
  s.initialize();
  s.run(train, {{x, 1.f}});
  s.run(train, {{x, std::numeric_limits<float>::infinity()}});
  std::cout << s.run(fg::fetch(w * 1.f)).scalar() << " " << s.run(fg::fetch(scale.value() * 1.f)).scalar() << "\n";
  // prints: 0.5 512

  try {
    fg::loss_scale(g, {.initial = 0});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the loss scale's `initial` must lie between `smallest` and `largest`, found 0.000000
});

// select_scopes
// list: variables with their gradients, as returned by an optimizer's gradients()
// scopes: the names of scopes or variables
// Returns the variables in these scopes with their gradients.
// No error: a scope without variables selects nothing.
const shown select_scopes_("select_scopes", [] {
  fg::graph g;
  const auto a = g.variable("body/w", fg::tensor<float>(1.f)), b = g.variable("head/w", fg::tensor<float>(2.f));
  const fg::sgd method{.rate = 0.5f};
  const auto parts = method.gradients(a * b);
  const fg::target train = method.apply(fg::select_scopes(parts, {"head"}));
  fg::session s(g);
  s.initialize();
  s.run(train);
  const auto [body, head] = s.run(fg::fetch(a * 1.f, b * 1.f));
  std::cout << body.scalar() << " " << head.scalar() << "\n";
  // prints: 1 1.5
});

// leave_out_scopes
// list: variables with their gradients, as returned by an optimizer's gradients()
// scopes: the names of scopes or variables
// Returns the variables in all other scopes with their gradients.
// No error: a scope without variables excludes nothing.
const shown leave_out_scopes_("leave_out_scopes", [] {
  fg::graph g;
  const auto a = g.variable("body/w", fg::tensor<float>(1.f)), b = g.variable("head/w", fg::tensor<float>(2.f));
  const fg::sgd method{.rate = 0.5f};
  const auto parts = method.gradients(a * b);
  const fg::target train = method.apply(fg::leave_out_scopes(parts, {"head"}));
  fg::session s(g);
  s.initialize();
  s.run(train);
  const auto [body, head] = s.run(fg::fetch(a * 1.f, b * 1.f));
  std::cout << body.scalar() << " " << head.scalar() << "\n";
  // prints: 0 2
});

// frozen_scopes
// Guide: training_helpers.md
const shown frozen_scopes_("frozen_scopes", [] {
  fg::graph g;
  g.variable("body/w", fg::tensor<float>(1.f)), g.variable("head/w", fg::tensor<float>(2.f));
  {
    const fg::frozen_scopes frozen(g, {"body"});
    std::cout << frozen.variables().size() << " " << g.trainable_variables().size() << "\n";
  }
  std::cout << g.trainable_variables().size() << "\n";
  // prints: 1 1
  // prints: 2

  try {
    fg::frozen_scopes(g, {"tail"});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: no variable is in the scope 'tail'
});

// replicate
// g: the graph
// devices: a device for each replica: {"/cpu:0", "/cpu:1"}, or a session's devices
// build: a function that receives the fg::replica, builds its model and returns a loss or gradients
// options: the name of the scope, the device on which gradients are summed
// Returns the mean loss and its gradients if `build` returns a loss. If `build` returns gradients, returns their means.
// Guide: training_helpers.md
const shown replicate_("replicate", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any});
  const fg::device_names devices{"/cpu:0", "/cpu:1"};
  const auto [loss, means] = fg::replicate(g, devices, [&](const fg::replica& r) {
    const auto w = r.variable("w", fg::ones<float>({}));
    return fg::mean(r.rows(x) * w);
  });
  const fg::target train = fg::sgd{.rate = 0.5f}.apply(means);
  const fg::device_list cpus = fg::cpu_devices(2);
  fg::session s(g, {.devices = cpus});
  s.initialize();
  const auto mean = s.run(fg::fetch(loss), train, {{x, fg::tensor<float>({4}, {1, 2, 3, 4})}});
  std::cout << mean.scalar() << " " << s.run(fg::fetch<float>("w:0")).scalar() << "\n";
  // prints: 2.5 -0.25

  try {
    fg::replicate(g, std::vector<std::string>{}, [&](const fg::replica& r) { return fg::mean(r.rows(x)); });
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: replicate needs at least one device, found none
});

// replica
// Guide: training_helpers.md
const shown replica_("replica", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {4});
  fg::replicate(g, {"/cpu:0", "/cpu:1"}, [&](const fg::replica& r) {
    const auto w = r.variable("w", fg::ones<float>({}));
    const auto noise = r.in_turn([&] { return fg::random_uniform<float>(g, fg::shape{2}); });
    std::cout << r.number() << " of " << r.count() << " on " << r.device() << ": " << fg::to_string(r.rows(x).shape()) << "\n";
    return fg::mean(r.rows(x) * w + noise);
  });
  // prints: 0 of 2 on /cpu:0: [2]
  // prints: 1 of 2 on /cpu:1: [2]

  try {
    fg::replicate(g, {"/cpu:0", "/cpu:1"}, [&](const fg::replica& r) { return fg::sum(r.rows(g.constant(1.f))); });
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: replica 0 on /cpu:0: 'replicate_1/replica_0/Const' is a scalar and has no rows
});

// device_names
// No error: an unknown device name is reported by the session that places the nodes.
const shown device_names_("device_names", [] {
  const fg::device_list cpus = fg::cpu_devices(2);
  const fg::device_names written{"/cpu:0", "/cpu:1"}, of_session = cpus;
  std::cout << written.names[1] << " " << of_session.names[1] << "\n";
  // prints: /cpu:1 /job:localhost/task:0/device:cpu:1
});
