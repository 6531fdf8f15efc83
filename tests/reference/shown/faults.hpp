// Full entries of the reference: tools that find faults.

// check_gradients
// Compares gradients with finite differences of the objective, element by element.
// s: the session; its variables keep their values
// objective: a scalar of type float or double
// gradients: pairs of a handle and its gradient
// feeds: pairs of an output and its tensor
// options: the number of elements to check, the step, the tolerance
// Returns a report for each handle, or the error.
const shown check_gradients_("check_gradients", [] {
  fg::graph g;
  const auto x = g.placeholder<double>("x", {2});
  const auto loss = fg::sum(x * x);
  const auto right = fg::gradients(loss, x);
  fg::session s(g);
  const fg::tensor<double> at({2}, {3, 4});
  const auto report = fg::check_gradients(s, loss, {{x, right}}, {{x, at}}).value();
  std::cout << report.are_right() << "\n";
  // prints: 1

  const auto wrong = fg::check_gradients(s, loss, {{x, x}}, {{x, at}}).value();
  std::cout << wrong.text().substr(0, wrong.text().find(';')) << "\n";
  // prints: x: 2 of 2 elements are wrong

  std::cout << fg::check_gradients(s, x, {{x, right}}, {{x, at}}).error().message() << "\n";
  // error: the objective 'x' has the shape [2], expected a scalar
});

// gradient_report
// No error: the object only holds results.
const shown gradient_report_("gradient_report", [] {
  fg::graph g;
  const auto x = g.placeholder<double>("x", {2});
  const auto loss = fg::sum(x * x);
  fg::session s(g);
  const auto report = fg::check_gradients(s, loss, {{x, fg::gradients(loss, x)}}, {{x, fg::tensor<double>({2}, {3, 4})}}).value();
  std::cout << report.are_right() << " " << report.edges[0].name << " " << report.edges[0].checked << "\n"
            << report.text() << "\n";
  // prints: 1 x 2
  // prints: x: 0 of 2 elements are wrong; farthest off is element 0: the gradient is 6, the difference 6
});

// finite_check
// No error: the check records the node that it finds.
const shown finite_check_("finite_check", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  const auto y = fg::sqrt(fg::log(x));
  fg::session s(g);
  fg::finite_check check;
  s.run(fg::fetch(y), {{x, fg::tensor<float>({2}, {1, 0})}}, {.measure = &check});
  const fg::not_finite& first = *check.found();
  std::cout << first.node << " " << first.op << ": " << first.output.text() << "\n";
  // prints: Log Log<float>: Log: float[2] from 0 to 0, 1 infinite

  const std::string text = first.text();
  std::cout << text.substr(0, text.find('\n')) << "\n";
  // prints: Log (Log<float>) in run 0
});

// not_finite
// No error: the object only holds values.
const shown not_finite_("not_finite", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  const auto y = fg::log(x);
  fg::session s(g);
  fg::finite_check check;
  s.run(fg::fetch(y), {{x, fg::tensor<float>({2}, {1, 0})}}, {.measure = &check});
  std::cout << check.found()->node << " " << check.found()->inputs[0].text() << " " << check.found()->text().empty() << "\n";
  // prints: Log x: float[2] from 0 to 1 0
});

// account_of_finite
// name: the name of the tensor in reports
// value: the tensor
// Returns the number of NaN and infinite elements, and the range of the other elements.
// No error: the elements of every tensor can be counted.
const shown account_of_finite_("account_of_finite", [] {
  const auto account = fg::account_of_finite("x", fg::tensor<float>({3}, {1, NAN, 4}).erased());
  std::cout << account.text() << " " << account.is_finite() << "\n";
  // prints: x: float[3] from 1 to 4, 1 NaN 0
});

// finite_account
// No error: reading a count cannot fail.
const shown finite_account_("finite_account", [] {
  const fg::finite_account account = fg::account_of_finite("x", fg::tensor<float>({2}, {1, INFINITY}).erased());
  std::cout << account.not_numbers << account.infinite << account.is_finite() << " " << account.text() << "\n";
  // prints: 010 x: float[2] from 1 to 1, 1 infinite
});

// account_of
// Counts the nodes, parameters and multiply-adds of each scope that the outputs need.
// g: the graph
// outputs: the outputs of the model
// feeds: the shapes of the feeds, which determine the batch size
// Returns the counts, or the error.
const shown account_of_("account_of", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any, 4});
  const auto in = g.in_scope("layer");
  const auto y = fg::matmul(x, g.variable("w", fg::zeros<float>({4, 3})));
  const fg::model_account account = fg::account_of(g, {y}, {{x, {8, 4}}}).value();
  std::cout << account.find("layer")->parameters << " " << account.find("layer")->multiply_adds << " "
            << (account.find("other") == nullptr) << "\n";
  // prints: 12 96 1

  std::cout << fg::account_of(g, {y}, {{x, {8, 5}}}).error().message() << "\n";
  // error: 'x' has the shape [?,4], which [8,5] does not fit
});

// model_account
// No error: a missing scope is returned as null.
const shown model_account_("model_account", [] {
  fg::graph g;
  const auto y = fg::matmul(g.placeholder<float>("x", {8, 4}), g.variable("w", fg::zeros<float>({4, 3})));
  const fg::model_account account = fg::account_of(g, {y}).value();
  std::cout << account.rows[0].parameters << " " << account.unknown.size() << " " << (account.find("other") == nullptr) << "\n";
  // prints: 12 0 1
});

// observe/model_account.hpp: to_text
// account: the counts of a model
// depth: the maximum depth of the listed scopes
// Returns a table.
// No error: all counts can be listed.
const shown text_of_account("observe/model_account.hpp: to_text", [] {
  fg::graph g;
  const auto y = fg::matmul(g.placeholder<float>("x", {8, 4}), g.variable("w", fg::zeros<float>({4, 3})));
  std::cout << fg::to_text(fg::account_of(g, {y}).value(), 0);
  // prints: scope  nodes  parameters  multiply-adds  operations
  // prints: (all)      3          12             96         192
});

// faults_of
// account: the counts of a model
// stated: the counts to compare with, for example from a paper
// Returns a line for each count that differs and each scope that is missing.
// No error: differences are results, not errors.
const shown faults_of_("faults_of", [] {
  fg::graph g;
  const auto y = fg::matmul(g.placeholder<float>("x", {8, 4}), g.variable("w", fg::zeros<float>({4, 3})));
  const fg::model_account account = fg::account_of(g, {y}).value();
  for (const std::string& line : fg::faults_of(account, {{"", 13, {}}, {"head", 7, {}}})) std::cout << line << "\n";
  // prints: (all): 12 parameters, stated 13
  // prints: head: there is no such scope
});

// record_run
// s: the session
// request: the feeds, fetches and targets of the run
// options: whether elements are kept, the options of the run
// Returns all tensors that the run computed, or the error.
const shown record_run_("record_run", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  const auto y = fg::exp(x, {"y"});
  fg::session s(g, {.passes = fg::pass_options::none()});
  const std::vector<fg::fed> feeds{{x, fg::tensor<float>({2})}};
  const std::vector<fg::any_out> fetches{y};
  const fg::recorded_run run = fg::record_run(s, {.feeds = feeds, .fetches = fetches}).value();
  std::cout << run.find("y")->value.as<float>()[0] << "\n";
  // prints: 1

  std::cout << fg::record_run(s, {.fetches = fetches}).error().message() << "\n";
  // error: you must feed a value for placeholder 'x' of type float and shape [2]
});

// recorded_run
const shown recorded_run_("recorded_run", [] {
  fg::recorded_run run;
  fg::recorded_tensor y{.name = "y", .op = "Exp<float>", .iteration = {}, .type = fg::dtype::float32, .shape = {2}};
  y.value = fg::tensor<float>({2}).erased();
  y.hash = fg::hash_of(y.value);
  run.add(y);
  const fg::recorded_run read = fg::recorded_run::from_text(run.to_text()).value();
  std::cout << read.tensors().size() << " " << (read.find("y")->hash == y.hash) << " " << (read.find("z") == nullptr) << "\n";
  // prints: 1 1 1

  std::cout << fg::recorded_run::from_text("no run").error().message() << "\n";
  // error: line 1 is not a line that recorded_run::to_text() writes
});

// hash_of
// t: the tensor
// Returns a hash of the type, the shape and the bits of the elements.
// No error: every tensor has a hash.
const shown hash_of_("hash_of", [] {
  const auto zero = fg::tensor<float>({1}, {0.f}).erased(), minus_zero = fg::tensor<float>({1}, {-0.f}).erased();
  std::cout << (fg::hash_of(zero) == fg::hash_of(zero)) << (fg::hash_of(zero) == fg::hash_of(minus_zero)) << "\n";
  // prints: 10
});

// compare_runs
// Compares all tensors that occur in both runs.
// a: the first run
// b: the second run
// options: the tolerance, names that differ in the second run
// Returns the first and the largest difference.
// No error: differences are results, not errors.
const shown compare_runs_("compare_runs", [] {
  fg::recorded_run a, b;
  fg::recorded_tensor y{.name = "y", .op = "Exp<float>", .iteration = {}, .type = fg::dtype::float32, .shape = {2}};
  y.value = fg::tensor<float>({2}, {1, 2}).erased();
  a.add(y);
  y.value = fg::tensor<float>({2}, {1, 3}).erased();
  y.hash = 1;
  b.add(y);
  const fg::side_by_side_report report = fg::compare_runs(a, b);
  std::cout << report.compared << report.differing << report.are_equal() << " " << report.first->name << ": " << report.first->how
            << "\n";
  // prints: 110 y: 1 of 2 elements differ, the most by 1, at element 1: 2 and 3
});

// compare_side_by_side
// a: the first session
// b: the second session
// request: the feeds, fetches and targets, by name
// options: the tolerance, names that differ in the second graph
// Returns the first and the largest difference, or the error if a run fails.
const shown compare_side_by_side_("compare_side_by_side", [] {
  const auto model = [](float factor) {
    fg::graph g;
    fg::exp(g.placeholder<float>("x", {2}) * factor, {"y"});
    return g;
  };
  const fg::session_options as_written{.passes = fg::pass_options::none()};
  fg::session a(model(2.f), as_written), b(model(3.f), as_written);
  const fg::named_run request{.feeds = {{"x:0", fg::tensor<float>({2}, {1, 1}).erased()}}, .fetches = {"y:0"}};
  const fg::side_by_side_report report = fg::compare_side_by_side(a, b, request).value();
  std::cout << report.are_equal() << " " << report.first->name << "\n";
  // prints: 0 Mul/y

  std::cout << fg::compare_side_by_side(a, b, {.fetches = {"z:0"}}).error().message() << "\n";
  // error: the graph has no node named 'z'
});

// side_by_side_report
// No error: the object only holds results.
const shown side_by_side_report_("side_by_side_report", [] {
  const fg::recorded_run empty;
  const fg::side_by_side_report report = fg::compare_runs(empty, empty);
  std::cout << report.are_equal() << " " << report.text();
  // prints: 0 0 of 0 tensors differ
});

// compare_configurations
// Runs a graph in several configurations and compares the fetched tensors with those of the first configuration.
// g: the graph
// request: the feeds, fetches and targets, the number of runs, the tolerance
// configurations: the names and session options of the configurations
// Returns the differences, or an error with the name of the configuration whose run failed.
const shown compare_configurations_("compare_configurations", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  const std::vector<fg::any_out> fetches{fg::exp(x)};
  const std::vector<fg::fed> feeds{{x, fg::tensor<float>({2})}};
  const fg::configuration as_it_is{"as it is", {}}, as_written{"as written", {.passes = fg::pass_options::none()}};
  const auto report = fg::compare_configurations(g, {.feeds = feeds, .fetches = fetches}, {as_it_is, as_written}).value();
  std::cout << report.compared << " " << report.are_equal() << "\n";
  // prints: 1 1

  std::cout << fg::compare_configurations(g, {.fetches = fetches}, {as_it_is, as_written}).error().message() << "\n";
  // error: configuration 'as it is': you must feed a value for placeholder 'x' of type float and shape [2]
});

// configuration_report
// No error: the object only holds results.
const shown configuration_report_("configuration_report", [] {
  fg::graph g;
  const std::vector<fg::any_out> fetches{g.constant(1.f) + 1.f};
  const auto report = fg::compare_configurations(g, {.fetches = fetches}, {{"one", {}}, {"two", {}}}).value();
  std::cout << report.are_equal() << report.differences.size() << " " << report.text();
  // prints: 10 0 of 1 configurations differ from the first
});

// check_constant_objective
// Computes an objective several times from the same inputs and reports whether its value changes, and why.
// s: the session
// objective: the output to check
// feeds: pairs of an output and its tensor
// options: the number of runs, training steps between runs, the tolerance
// Returns the values and the nodes whose values change, or the error if a run fails.
const shown check_constant_objective_("check_constant_objective", [] {
  fg::graph g;
  const auto noisy = fg::sum(fg::random_uniform<float>(g, fg::shape{2})), fixed = g.constant(1.f) * 2.f;
  fg::session s(g);
  const fg::objective_report report = fg::check_constant_objective(s, noisy).value();
  std::cout << report.is_constant() << report.first_change << " " << fg::check_constant_objective(s, fixed).value().is_constant()
            << "\n";
  // prints: 02 1

  std::cout << fg::check_constant_objective(s, g.placeholder<float>("x", {})).error().message() << "\n";
  // error: you must feed a value for placeholder 'x' of type float and shape []
});

// objective_report
// No error: the object only holds results.
const shown objective_report_("objective_report", [] {
  fg::graph g;
  const auto fixed = fg::exp(g.placeholder<float>("x", {}));
  fg::session s(g);
  const auto report = fg::check_constant_objective(s, fixed, {{"x:0", fg::tensor<float>(0.f).erased()}}).value();
  std::cout << report.is_constant() << report.values.size() << " " << report.text() << "\n";
  // prints: 13 the objective is constant in 3 runs
});

// cut_part
// Copies the part of a graph that the given outputs need.
// g: the graph
// outputs: the outputs to compute
// feeds: outputs that become placeholders, with their shapes
// Returns the new graph with its fetches and feeds, or the error.
const shown cut_part_("cut_part", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any});
  const auto h = fg::exp(x, {"h"});
  const auto y = fg::sqrt(h, {"y"});
  const fg::graph_part part = fg::cut_part(g, {y}, {{h, {3}}}).value();
  std::cout << part.graph.size() << " " << part.feeds[0].name() << " " << fg::to_string(part.fetches[0].shape()) << "\n";
  // prints: 2 h [3]

  std::cout << fg::cut_part(g, {y}, {{g.variable("w", fg::zeros<float>({2}))}}).error().message() << "\n";
  // error: 'w' carries a variable or a handle, for which no placeholder can stand
});

// difference
// a: the first tensor
// b: the second tensor
// allowed: the tolerated difference between elements
// Returns the difference, or nothing if the tensors agree.
// No error: a difference is a result, not an error.
const shown difference_("difference", [] {
  const auto a = fg::tensor<float>({2}, {1, 1}).erased(), b = fg::tensor<float>({2}, {1, 1.5f}).erased();
  const fg::tolerance half{.absolute = 0.5};
  const fg::tensor_difference found = *fg::difference(a, b);
  std::cout << found.text() << " " << fg::difference(a, b, half).has_value() << half.is_none() << fg::tolerance{}.is_none()
            << "\n";
  // prints: 1 of 2 elements differ, the most by 0.5, at element 1: 1 and 1.5 001
});

// tensor_difference
// No error: the object only holds a difference.
const shown tensor_difference_("tensor_difference", [] {
  const auto found = fg::difference(fg::tensor<float>({2}).erased(), fg::tensor<float>({3}).erased());
  std::cout << found->text() << "\n";
  // prints: float[2] and float[3]
});

// tolerance
// No error: the object only holds two numbers.
const shown tolerance_("tolerance", [] {
  const fg::tolerance close{.absolute = 0.25, .relative = 0};
  const auto a = fg::tensor<float>({1}, {1}).erased(), b = fg::tensor<float>({1}, {1.25f}).erased();
  std::cout << close.is_none() << fg::difference(a, b, close).has_value() << "\n";
  // prints: 00
});

// described_graph
// g: the graph
// options: the devices, and whether to write shapes
// Returns the bytes of a GraphDef message.
// No error: every graph can be written.
const shown described_graph_("described_graph", [] {
  fg::graph g;
  g.placeholder<float>("x", {2});
  const std::string message = fg::described_graph(g);
  std::cout << (message.find("Placeholder") != std::string::npos) << "\n";
  // prints: 1
});

// assert_that
// Ends the run with an error if the condition is false.
// condition: a scalar of the graph
// data: the handles whose elements the error shows
// summarize: the number of elements shown from each handle
// Returns the target to run.
// Guide: finding_faults.md
const shown assert_that_("assert_that", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any});
  const fg::target positive = fg::assert_that(fg::all_of(x > 0.f), {x});
  fg::session s(g);
  std::cout << s.try_run(positive, {{x, fg::tensor<float>({2}, {1, 2})}}).has_value() << "\n";
  // prints: 1

  std::cout << s.try_run(positive, {{x, fg::tensor<float>({2}, {1, -1})}}).error().message() << "\n";
  // error: assertion failed: [1 -1]
});

// check_numerics
// x: the handle to check
// message: text at the beginning of the error
// Returns a handle to the same value. The run ends with an error if an element is infinite or NaN.
// Guide: finding_faults.md
const shown check_numerics_("check_numerics", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto loss = fg::check_numerics(1.f / x, "the loss");
  fg::session s(g);
  std::cout << s.run(fg::fetch(loss), {{x, 4.f}}).scalar() << "\n";
  // prints: 0.25

  std::cout << s.try_run(fg::fetch(loss), {{x, 0.f}}).error().message() << "\n";
  // error: the loss : the tensor has Inf values
});

// print
// x: the handle whose value is returned
// data: the handles whose elements are printed to the standard error stream
// message: text at the beginning of the line
// first_n: the number of runs that print, or -1 for all
// Returns a handle to the value of x. Each run that needs this handle prints one line.
// No error: the value is passed through unchanged.
// Guide: finding_faults.md
const shown print_("print", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {1, 2}));
  fg::session s(g);
  std::cout << s.run(fg::fetch(fg::print(x * 2.f, {x}, "x: ")))[1] << "\n";
  // prints: x: [1 2]
  // prints: 4
});
