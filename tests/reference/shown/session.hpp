// Full entries of the reference: runtime/session.hpp, runtime/feed.hpp.

// session::run
// Runs the nodes that the fetches and the target need. Raises errors.
// fetches: the outputs to return: fg::fetch(y), fg::fetch(loss, y), or by name, fg::fetch<float>("y:0")
// t: a node to run without returning its output
// feeds: pairs of an output and the tensor that replaces its value
// options: the options of the run, such as a stop token, a deadline or measurements
// Returns the tensors in the order of the fetches: a single tensor, a std::tuple of several, or a std::vector for a list.
const shown session_run("session::run", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  fg::session s(g);
  const auto [twice, sum] = s.run(fg::fetch(2.f * x, fg::sum(x)), {{x, fg::tensor<float>({2}, {1, 2})}});
  std::cout << twice[1] << " " << sum.scalar() << "\n";
  // prints: 4 3

  try {
    s.run(fg::fetch(x));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: you must feed a value for placeholder 'x' of type float and shape [2]
});

// session::try_run
// Like session::run, but returns errors instead of raising them.
// fetches: the outputs to return
// t: a node to run without returning its output
// feeds: pairs of an output and the tensor that replaces its value
// request: feeds, fetches and targets that are only known at run time
// options: the options of the run, such as a stop token, a deadline or measurements
// Returns the tensors in the order of the fetches, or the error.
// Guide: errors.md
const shown session_try_run("session::try_run", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  const auto y = fg::sqrt(x, {"y"});
  fg::session s(g);
  if (const auto made = s.try_run(fg::fetch<float>("y:0"), {{"x:0", fg::tensor<float>({2}, {4, 9})}}))
    std::cout << (*made)[1] << "\n";
  // prints: 3

  const auto missing = s.try_run(fg::fetch<float>("z:0"));
  std::cout << fg::name_of(missing.error().code()) << ": " << missing.error().message() << "\n";
  // error: not found: the graph has no node named 'z'

  const auto unfed = s.try_run(fg::fetch(y));
  std::cout << fg::name_of(unfed.error().code()) << ": " << unfed.error().message() << "\n";
  // error: invalid argument: you must feed a value for placeholder 'x' of type float and shape [2]

  const auto late = s.try_run(fg::fetch(y), {{x, fg::tensor<float>({2})}}, {.deadline = std::chrono::steady_clock::now()});
  std::cout << fg::name_of(late.error().code()) << ": " << late.error().message() << "\n";
  // error: deadline exceeded: the run's deadline has passed
});

// session::initialize
// options: the options of the run, such as a stop token or a deadline
// Guide: variables.md
const shown session_initialize("session::initialize", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::ones<float>({3}));
  fg::session s(g);
  s.initialize();
  std::cout << s.run(fg::fetch(fg::sum(w))).scalar() << "\n";
  // prints: 3

  std::stop_source source;
  source.request_stop();
  try {
    s.initialize({.stop = source.get_token()});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the run was cancelled
});

// session::try_initialize
// options: the options of the run, such as a stop token or a deadline
// Returns the error, if there is one.
// Guide: variables.md
const shown session_try_initialize("session::try_initialize", [] {
  fg::graph g;
  g.variable("w", fg::ones<float>({3}));
  fg::session s(g);
  const fg::result<void> made = s.try_initialize();
  std::cout << made.has_value() << "\n";
  // prints: 1

  std::stop_source source;
  source.request_stop();
  std::cout << s.try_initialize({.stop = source.get_token()}).error().message() << "\n";
  // error: the run was cancelled
});

// session::assign
// values: pairs of a variable and its new value
// options: the options of the run, such as a stop token or a deadline
// Guide: variables.md
const shown session_assign("session::assign", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::zeros<float>({2}));
  fg::session s(g);
  s.assign({{w, fg::tensor<float>({2}, {3, 4})}});
  std::cout << s.run(fg::fetch(w * 1.f))[1] << "\n";
  // prints: 4

  try {
    s.assign({{w, fg::tensor<float>({3})}});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the tensor assigned to 'w' must have shape [2], found [3]
});

// session::try_assign
// values: pairs of a variable and its new value
// options: the options of the run, such as a stop token or a deadline
// Returns the error, if there is one, in which case no variable has changed.
// Guide: variables.md
const shown session_try_assign("session::try_assign", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::zeros<float>({2}));
  const auto x = g.placeholder<float>("x", {2});
  fg::session s(g);
  const std::vector<fg::fed> values{{w, fg::tensor<float>({2}, {3, 4})}};
  std::cout << s.try_assign(values).has_value() << "\n";
  // prints: 1

  const std::vector<fg::fed> wrong{{x, fg::tensor<float>({2})}};
  std::cout << s.try_assign(wrong).error().message() << "\n";
  // error: 'x' is not a variable to which a node of its graph assigns a value
});

// session::prepare
// feeds: the outputs to feed in each call: fg::feed(x, t)
// fetches: the outputs to return from each call: fg::fetch(loss)
// t: a node to run in each call
// targets: nodes to run in each call
// Returns the step, which is called with a tensor for each feed, by one thread at a time. Raises errors.
const shown session_prepare("session::prepare", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any});
  fg::session s(g);
  auto step = s.prepare(fg::feed(x), fg::fetch(fg::sum(x)));
  std::cout << step(fg::tensor<float>({3}, {1, 2, 3})).scalar() << "\n";
  // prints: 6

  try {
    s.prepare(fg::feed<double>("x:0"), fg::fetch(fg::sum(x)));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: 'x:0' has elements of type float, but is fed as double
});

// session::try_prepare
// feeds: the outputs to feed in each call
// fetches: the outputs to return from each call
// targets: nodes to run in each call
// Returns the step, or the error. For lists of handles that are composed at run time, the step is an any_step.
const shown session_try_prepare("session::try_prepare", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  fg::session s(g);
  const std::vector<fg::any_out> feeds{x}, fetches{fg::sum(x)};
  fg::any_step step = s.try_prepare(feeds, fetches, {}).value();
  const std::vector<fg::any_tensor> in{fg::tensor<float>({2}, {1, 2}).erased()};
  std::vector<fg::any_tensor> out(1);
  step.try_run(in, out).value();
  std::cout << out[0].as<float>().scalar() << "\n";
  // prints: 3

  const std::vector<fg::any_out> empty{fg::any_out{}};
  std::cout << s.try_prepare({}, empty, {}).error().message() << "\n";
  // error: an empty handle is fetched
});

// session::explain
// fetches: the outputs of the run
// t: an additional node to run
// feeds: the shapes of feeds whose shapes are unknown in the graph
// Returns the nodes and kernel calls of such a run. Raises errors.
const shown session_explain("session::explain", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  fg::session s(g);
  const fg::explanation plan = s.explain(fg::fetch(2.f * x + 1.f), {{x, fg::shape{2}}});
  std::cout << plan.nodes.size() << "\n";
  // prints: 5

  try {
    s.explain(fg::fetch<float>("z:0"));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the graph has no node named 'z'
});

// session::close
// options: whether to wait for runs in progress, and how long
// Returns true if no run is in progress any longer.
// No error: later calls to the session return the error `cancelled`.
const shown session_close("session::close", [] {
  fg::graph g;
  const auto x = g.constant(1.f);
  fg::session s(g);
  std::cout << s.close() << " " << s.try_run(fg::fetch(x)).error().message() << "\n";
  // prints: 1 the session is closed
});

// session::pause
// options: a stop token or a deadline to end the wait
// Returns an object that keeps the session paused until it is destroyed. Raises an error if `options` end the wait.
// No error: without options, the call waits until the session is paused.
const shown session_pause_("session::pause", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::ones<float>({2}));
  fg::session s(g);
  s.initialize();
  const fg::session_pause rest = s.pause();
  std::cout << s.run(fg::fetch(fg::sum(w))).scalar() << "\n";
  // prints: 2
});

// session::save_state
// Returns the state: counts of drawn random numbers, and the contents of queues and readers. It does not contain variables,
// which fg::saver saves.
// No error: a session without queues and readers can always be saved.
// Guide: checkpoints.md
const shown session_save_state("session::save_state", [] {
  fg::graph g;
  g.set_seed(1);
  const auto x = fg::random_uniform<float>(g, fg::shape{1});
  fg::session s(g);
  const fg::saved_state begin = s.save_state();
  const float first = s.run(fg::fetch(x))[0];
  s.load_state(begin);
  std::cout << (s.run(fg::fetch(x))[0] == first ? "the same number again" : "another number") << "\n";
  // prints: the same number again
});

// session::load_state
// from: a state from save_state, possibly from another process
// No error: a state from a session of the same graph can be loaded.
// Guide: checkpoints.md
const shown session_load_state("session::load_state", [] {
  fg::graph g;
  g.set_seed(1);
  const auto x = fg::random_uniform<float>(g, fg::shape{1});
  fg::session a(g), b(g);
  a.run(fg::fetch(x));
  b.load_state(a.save_state());
  std::cout << (a.run(fg::fetch(x))[0] == b.run(fg::fetch(x))[0]) << "\n";
  // prints: 1
});

// session::graph
// Returns the graph, which shares its nodes with the graph that the session was created from.
// No error: every session has a graph.
const shown session_graph("session::graph", [] {
  fg::graph g;
  g.constant(1.f);
  const fg::session s(g);
  std::cout << (s.graph() == g) << "\n";
  // prints: 1
});

// session::free_idle_memory
// Returns the bytes of the freed blocks.
// No error: without idle blocks, the call frees nothing.
// Guide: memory.md
const shown session_free_idle_memory("session::free_idle_memory", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {1000, 1000});
  const auto y = fg::sum(fg::exp(x) * fg::tanh(x));
  fg::session s(g);
  s.run(fg::fetch(y), {{x, fg::tensor<float>(fg::shape{1000, 1000})}});
  s.free_idle_memory();  // the blocks of the products
  std::cout << s.free_idle_memory() << "\n";
  // prints: 0
});

// session::resources
// Returns the container that holds variables, queues, readers and tables.
// No error: every session has a container.
const shown session_resources("session::resources", [] {
  fg::container shared;
  fg::graph g;
  fg::session s(g, {.resources = &shared});
  std::cout << (&s.resources() == &shared) << "\n";
  // prints: 1
});

// feed
// edges: handles, or names as in fg::feed<float>("x:0")
// Returns the list for session::prepare. The arguments of the step are in the order of the list.
// No error: session::prepare checks the list.
const shown feed_("feed", [] {
  fg::graph g;
  const auto a = g.placeholder<float>("a", {}), b = g.placeholder<float>("b", {});
  fg::session s(g);
  auto step = s.prepare(fg::feed(a, b), fg::fetch(a - b));
  std::cout << step(5.f, 3.f).scalar() << "\n";
  // prints: 2
});

// fetch
// edges: handles, variables or gradients, or names as in fg::fetch<float>("y:0")
// list: a std::vector, std::array or std::span of handles, variables or gradients
// Returns the list for session::run and session::prepare. The tensors are returned in the order of the list.
// No error: the run or session::prepare checks the list.
const shown fetch_("fetch", [] {
  fg::graph g;
  const auto a = g.constant(5.f), b = g.constant(3.f);
  fg::session s(g);
  const std::vector<fg::out<float>> both{a, b};
  std::cout << s.run(fg::fetch(a - b)).scalar() << " " << s.run(fg::fetch(both)).size() << "\n";
  // prints: 2 2
});

// step
// A prepared run. It is called with a tensor for each feed and returns the fetched tensors. A call raises errors; try_run
// returns them.
const shown step_("step", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any, 2});
  fg::session s(g);
  auto step = s.prepare(fg::feed(x), fg::fetch(fg::mean(x)));
  std::cout << step(fg::tensor<float>({1, 2}, {1, 2})).scalar() << " " << step.plan().nodes << "\n";
  // prints: 1.5 1

  const auto refused = step.try_run({}, fg::tensor<float>({1, 3}));
  std::cout << refused.error().message() << "\n";
  // error: the tensor fed to 'x' must have shape [?,2], found [1,3]
});

// any_step::try_run
// feeds: a tensor for each feed, in the order of the feeds
// fetched: receives the fetched tensors, in the order of the fetches
// options: the options of the run, such as a stop token or a deadline
// Returns the error, if there is one.
const shown any_step_try_run("any_step::try_run", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  fg::session s(g);
  const std::vector<fg::any_out> feeds{x}, fetches{fg::sum(x)};
  fg::any_step step = s.try_prepare(feeds, fetches, {}).value();
  std::vector<fg::any_tensor> in{fg::tensor<float>({2}, {1, 2}).erased()}, out(1);
  step.try_run(in, out).value();
  std::cout << out[0].as<float>().scalar() << "\n";
  // prints: 3

  in[0] = fg::tensor<double>({2}).erased();
  std::cout << step.try_run(in, out).error().message() << "\n";
  // error: the tensor fed to 'x' must be float, found double

  std::cout << step.try_run({}, out).error().message() << "\n";
  // error: the step was prepared for 1 feeds and 1 fetches, found 0 and 1
});

// any_step::plan
// Returns the numbers of buffers, bytes, nodes and loops in the plan, and the number of copies in the latest run.
// No error: a step always has a plan.
const shown any_step_plan("any_step::plan", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  fg::session s(g);
  const std::vector<fg::any_out> feeds{x}, fetches{fg::sum(x * x)};
  const fg::any_step step = s.try_prepare(feeds, fetches, {}).value();
  std::cout << step.plan().nodes << "\n";
  // prints: 2
});

// step::operator()
// feeds: a tensor for each feed, in the order of fg::feed
// Returns the fetched tensors: a single tensor, a std::tuple of several, or nothing without fetches. Raises errors.
const shown step_call("step::operator()", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  fg::session s(g);
  auto step = s.prepare(fg::feed(x), fg::fetch(fg::sum(x), x * 2.f));
  const auto [sum, twice] = step(fg::tensor<float>({2}, {1, 2}));
  std::cout << sum.scalar() << " " << twice[1] << "\n";
  // prints: 3 4

  try {
    step(fg::tensor<float>({3}));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the tensor fed to 'x' must have shape [2], found [3]
});

// step::try_run
// options: the options of the run, such as a stop token, a deadline or measurements
// feeds: a tensor for each feed, in the order of fg::feed
// Returns the fetched tensors, or the error.
const shown step_try_run("step::try_run", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  fg::session s(g);
  auto step = s.prepare(fg::feed(x), fg::fetch(fg::sum(x)));
  std::cout << step.try_run({}, fg::tensor<float>({2}, {1, 2})).value().scalar() << "\n";
  // prints: 3

  const auto late = step.try_run({.deadline = std::chrono::steady_clock::now()}, fg::tensor<float>({2}));
  std::cout << late.error().message() << "\n";
  // error: the run's deadline has passed
});

// step::plan
// Returns the numbers of buffers, bytes and nodes in the plan.
// No error: every step has a plan.
const shown step_plan("step::plan", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  fg::session s(g);
  auto step = s.prepare(fg::feed(x), fg::fetch(fg::sum(x)));
  step(fg::tensor<float>({2}));
  std::cout << step.plan().nodes << "\n";
  // prints: 1
});
