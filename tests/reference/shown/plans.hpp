// Full entries of the reference: plans, joint runs, sets of variables, further calls of a session.

// session::try_explain
// fetches: the outputs of the run, by handle or name
// targets: additional nodes to run
// feeds: the shapes of feeds whose shapes are unknown in the graph
// Returns the nodes and kernel calls of such a run, or the error.
const shown session_try_explain("session::try_explain", [] {
  fg::graph g;
  fg::exp(g.placeholder<float>("x", {2}), {"y"});
  fg::session s(g);
  const std::vector<fg::edge_or_name> fetches{"y:0"}, none{"z:0"};
  const fg::explanation plan = s.try_explain(fetches, {}, {}).value();
  const fg::explained_node& last = plan.nodes.back();
  std::cout << last.kind << " " << last.name << " " << last.op << "\n";
  // prints: op y Exp<float>

  std::cout << s.try_explain(none, {}, {}).error().message() << "\n";
  // error: the graph has no node named 'z'
});

// session::try_begin_partial
// feeds: all outputs that may be fed
// fetches: all outputs that may be fetched
// targets: all nodes that may be run
// options: the options of the run, such as a stop token or a deadline
// Returns the run, or the error. The run continues each time that a part of the feeds is supplied.
const shown session_try_begin_partial("session::try_begin_partial", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {}), y = g.placeholder<float>("y", {});
  const auto twice = x * 2.f, sum = twice + y;
  fg::session s(g);
  const std::vector<fg::any_out> feeds{x, y}, fetches{twice, sum}, first{twice}, second{sum};
  fg::partial_run run = s.try_begin_partial(feeds, fetches).value();
  const auto part = run.try_continue(std::vector<fg::fed>{{x, 3.f}}, first).value();
  const auto rest = run.try_continue(std::vector<fg::fed>{{y, 1.f}}, second).value();
  std::cout << part[0].as<float>().scalar() << " " << rest[0].as<float>().scalar() << "\n";
  // prints: 6 7

  fg::partial_run early = s.try_begin_partial(feeds, fetches).value();
  std::cout << early.try_continue({}, second).error().message() << "\n";
  // error: the fetched edge depends on 'x', which has not been fed yet
});

// session::make_set
// name: the name of the set in error messages
// variables: the variables, each of which must have a value
// Returns the set. Raises errors.
const shown session_make_set("session::make_set", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::zeros<float>({2})), b = g.variable("b", fg::zeros<float>({}));
  fg::session s(g);
  s.initialize();
  fg::variable_set set = s.make_set("layer", w, b);
  set.swap(fg::tensor<float>({2}, {1, 2}), fg::tensor<float>(3.f));
  std::cout << s.run(fg::fetch(w + b))[1] << "\n";
  // prints: 5

  fg::session other(g);
  try {
    other.make_set("layer", w);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: variable 'w' cannot join the set 'layer': the variable has no value yet: run its initializer (session::initialize)
  //   first
});

// session::try_make_set
// name: the name of the set in error messages
// variables: the variables, each of which must have a value
// Returns the set, or the error.
const shown session_try_make_set("session::try_make_set", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::zeros<float>({2}));
  const std::vector<fg::any_out> variables{w};
  fg::session s(g);
  s.initialize();
  std::cout << s.try_make_set("layer", variables).value().size() << "\n";
  // prints: 1

  fg::session other(g);
  std::cout << other.try_make_set("layer", variables).error().message() << "\n";
  // error: variable 'w' cannot join the set 'layer': the variable has no value yet: run its initializer (session::initialize)
  //   first
});

// variable_set
const shown variable_set_("variable_set", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>({2}, {1, 2}));
  fg::session s(g);
  s.initialize();
  fg::variable_set set = s.make_set("layer", w);
  set.swap(fg::tensor<float>({2}, {3, 4}));
  std::cout << set.name() << " " << set.size() << " " << set.values()[0].as<float>()[1] << "\n";
  set.collect();
  std::cout << set.versions() << "\n";
  // prints: layer 1 4
  // prints: 1

  const std::vector<fg::any_tensor> wrong{fg::tensor<float>({3}).erased()};
  std::cout << set.try_swap(wrong).error().message() << "\n";
  // error: variable 'w' of the set 'layer' is float[2], found a value of float[3]
});

// staged_set
const shown staged_set_("staged_set", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::zeros<float>({2})), b = g.variable("b", fg::zeros<float>({}));
  fg::session s(g);
  s.initialize();
  fg::variable_set set = s.make_set("layer", w, b);
  set.swap([](fg::staged_set& next) {
    const std::span<float> elements = next.write<float>(0);
    elements[0] = 1, elements[1] = 2;
    next.put(1, fg::tensor<float>(10.f));
  });
  std::cout << s.run(fg::fetch(w + b))[1] << "\n";
  // prints: 12

  const auto wrong = set.try_swap([](fg::staged_set& next) { next.put(0, fg::tensor<float>({3})); });
  std::cout << wrong.error().message() << "\n";
  // error: variable 'w' of the set 'layer' is float[2], found a value of float[3]
});

// session::try_pause
// options: a stop token or a deadline to end the wait
// Returns an object that keeps the session paused until it is destroyed, or the error that ended the wait.
const shown session_try_pause("session::try_pause", [] {
  fg::graph g;
  fg::session s(g);
  {
    const fg::result<fg::session_pause> rest = s.try_pause(fg::run_options::within(std::chrono::seconds(1)));
    std::cout << rest.has_value() << "\n";
  }
  // prints: 1

  const fg::session_pause rest = s.pause();
  std::thread([&] {
    const auto second = s.try_pause(fg::run_options::within(std::chrono::milliseconds(10)));
    std::cout << fg::name_of(second.error().code()) << "\n";
  }).join();
  // error: deadline exceeded
});

// session::try_save_state
// Returns the state, or an error that names the part that cannot be saved.
// how: refused: a sparse table is an error; left_out: the state lacks tables, which a saver writes to files
// No error: a session without queues and readers can always be saved.
// Guide: checkpoints.md
const shown session_try_save_state("session::try_save_state", [] {
  fg::graph g;
  g.set_seed(1);
  const auto x = fg::random_uniform<float>(g, fg::shape{1});
  fg::session a(g), b(g);
  a.run(fg::fetch(x));
  b.load_state(a.try_save_state().value());
  std::cout << (a.run(fg::fetch(x))[0] == b.run(fg::fetch(x))[0]) << "\n";
  // prints: 1
});

// session::try_load_state
// from: a state from save_state, possibly from another process
// Returns the error, if there is one, in which case nothing has changed.
// Guide: checkpoints.md
const shown session_try_load_state("session::try_load_state", [] {
  fg::graph g;
  const fg::fifo_queue<float> q(g, {.capacity = 4, .shapes = {{}}});
  const auto put = q.enqueue(g.constant(7.f));
  const auto next = q.dequeue();
  fg::session a(g), b(g);
  a.run(put);
  std::cout << b.try_load_state(a.save_state()).has_value() << " " << b.run(fg::fetch(next)).scalar() << "\n";
  // prints: 1 7

  fg::saved_state broken = a.save_state();
  for (fg::saved_resource& r : broken.resources) r.bytes = "no queue";
  std::cout << b.try_load_state(broken).error().message() << "\n";
  // error: the saved contents of resource 'FIFOQueueV2': the saved bytes are damaged
});

// run_options
const shown run_options_("run_options", [] {
  fg::graph g;
  const fg::fifo_queue<float> q(g, {.capacity = 1, .shapes = {{}}});
  const auto next = q.dequeue();
  fg::session s(g);
  const auto late = s.try_run(fg::fetch(next), {}, fg::run_options::within(std::chrono::milliseconds(10)));
  std::cout << fg::name_of(late.error().code()) << "\n";
  // error: deadline exceeded

  const auto at_once = s.try_run(fg::fetch(next), {}, {.may_wait = false});
  std::cout << fg::name_of(at_once.error().code()) << "\n";
  // error: unavailable

  fg::measurements seen;
  const auto x = g.placeholder<float>("x", {});
  s.run(fg::fetch(fg::exp(x)), {{x, 1.f}}, {.measure = &seen});
  std::cout << seen.of("Exp")[0].second.calls << "\n";
  // prints: 1
});

// close_options
// No error: a closed session can be closed again.
const shown close_options_("close_options", [] {
  fg::graph g;
  fg::session s(g);
  std::cout << s.close({.wait = true}) << s.close(fg::close_options::within(std::chrono::seconds(1))) << "\n";
  // prints: 11
});

// run_together
// parts: the sessions with their feeds, fetches and targets
// options: the options of the run, such as a stop token or a deadline
// Returns the fetched tensors of each part. Raises errors.
// Guide: running.md
const shown run_together_("run_together", [] {
  fg::graph a, b;
  const auto x = a.placeholder<float>("x", {});
  const std::vector<fg::any_out> of_a{x * 2.f}, of_b{b.constant(5.f) + 1.f};
  fg::session left(a), right(b);
  const std::vector<fg::fed> feeds{{x, 3.f}};
  const auto values = fg::run_together({{.in = &left, .feeds = feeds, .fetches = of_a}, {.in = &right, .fetches = of_b}});
  std::cout << values[0][0].as<float>().scalar() << " " << values[1][0].as<float>().scalar() << "\n";
  // prints: 6 6

  try {
    fg::run_together({{.in = &left, .fetches = of_a}});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: you must feed a value for placeholder 'x' of type float and shape []
});

// named_run
// No error: the object only holds names and tensors.
const shown named_run_("named_run", [] {
  fg::graph g;
  fg::exp(g.placeholder<float>("x", {}), {"y"});
  fg::session s(g);
  const fg::named_run request{.feeds = {{"x:0", fg::tensor<float>(0.f).erased()}}, .fetches = {"y:0"}};
  std::cout << s.try_run(request).value()[0].as<float>().scalar() << "\n";
  // prints: 1
});

// step_report
// No error: the object only holds counts.
const shown step_report_("step_report", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  fg::session s(g);
  const fg::feed_list<float> feeds = fg::feed(x);
  const fg::fetch_list<float> fetches = fg::fetch(fg::sum(fg::exp(x)));
  auto step = s.prepare(feeds, fetches);
  step(fg::tensor<float>({2}));
  const fg::step_report plan = step.plan();
  std::cout << plan.nodes << " " << plan.dynamic_nodes << " " << plan.queued.empty() << "\n";
  // prints: 2 0 1
});

// explanation
// No error: the object only holds a plan.
const shown explanation_("explanation", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  fg::session s(g);
  const fg::explanation plan = s.explain(fg::fetch(fg::exp(x) + 0.f * fg::exp(x)));
  for (const fg::pass_report& pass : plan.passes)
    if (pass.changed > 0) std::cout << pass.name << " " << pass.changed << "\n";
  // prints: merge_common 1
});

// pass_options
// No error: every combination of options is allowed.
const shown pass_options_("pass_options", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  const auto y = fg::exp(x) + fg::exp(x);
  fg::session s(g), as_written(g, {.passes = fg::pass_options::none()});
  std::cout << s.explain(fg::fetch(y)).nodes.size() << " " << as_written.explain(fg::fetch(y)).nodes.size() << "\n";
  // prints: 3 4
});

// runtime/explain.hpp: to_text
// e: the plan
// Returns a line for each node, each pass and each kernel call.
// No error: every plan can be written as text.
const shown text_of_plan("runtime/explain.hpp: to_text", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  fg::session s(g);
  const std::string text = fg::to_text(s.explain(fg::fetch(fg::exp(x))));
  std::cout << text.substr(0, text.find('\n')) << "\n";
  // prints: 2 nodes
});

// runtime/explain.hpp: to_dot
// e: the plan
// Returns a directed graph for Graphviz.
// No error: every plan can be drawn.
const shown picture_of_plan("runtime/explain.hpp: to_dot", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  fg::session s(g);
  const std::string picture = fg::to_dot(s.explain(fg::fetch(fg::exp(x))));
  std::cout << picture.substr(0, picture.find('\n')) << "\n";
  // prints: digraph {
});

// graph/print.hpp: to_text
// g: the graph
// Returns a line for each node, in the order of creation.
// No error: every graph can be written as text.
const shown text_of_graph("graph/print.hpp: to_text", [] {
  fg::graph g;
  fg::exp(g.placeholder<float>("x", {2}), {"y"});
  std::cout << fg::to_text(g);
  // prints: x = Placeholder<float>() {shape=[2]} -> float[2]
  // prints: y = Exp<float>(x) -> float[2]
});

// graph/print.hpp: to_dot
// g: the graph
// Returns a directed graph for Graphviz.
// No error: every graph can be drawn.
const shown picture_of_graph("graph/print.hpp: to_dot", [] {
  fg::graph g;
  fg::exp(g.placeholder<float>("x", {2}), {"y"});
  const std::string picture = fg::to_dot(g);
  std::cout << picture.substr(0, picture.find('\n')) << "\n";
  // prints: digraph {
});

// graph/print.hpp: to_string
// n: a node
// Returns a line with the name, op, inputs, attributes and outputs of the node.
// No error: every node can be written as text.
const shown text_of_node("graph/print.hpp: to_string", [] {
  fg::graph g;
  const auto y = fg::exp(g.placeholder<float>("x", {2}), {"y"});
  std::cout << fg::to_string(*y.source) << "\n";
  // prints: y = Exp<float>(x) -> float[2]
});

// summary
// g: the graph
// options: the maximum depth of the listed scopes
// Returns a line for each scope and each variable, with the number of parameters.
// No error: every graph can be summarized.
const shown summary_("summary", [] {
  fg::graph g;
  const auto in = g.in_scope("layer");
  fg::matmul(g.placeholder<float>("x", {fg::any, 4}), g.variable("w", fg::zeros<float>({4, 3})));
  std::cout << fg::summary(g);
  // prints: scope    ops  shape  type   parameters  bytes
  // prints: (all)      5                        12     48
  // prints:   layer    5                        12     48
  // prints:     w      3  [4,3]  float          12     48
});
