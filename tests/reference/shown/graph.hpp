// Full entries of the reference: graph/graph.hpp, graph/handle.hpp, ops/operators.hpp, graph/gradients.hpp.

// graph::placeholder
// name: the name of the node in the current scope, which the graph makes unique
// shape: the shape that runs must feed; an extent of fg::any may differ between runs
// Returns a handle to the fed value. The caller specifies the element type T.
// Guide: running.md
const shown graph_placeholder("graph::placeholder", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any, 3});
  std::cout << x.name() << " " << fg::to_string(x.shape()) << "\n";
  // prints: x [?,3]

  fg::session s(g);
  const auto y = s.try_run(fg::fetch(2.f * x), {{x, fg::tensor<float>({1, 2}, {1, 2})}});
  std::cout << y.error().message() << "\n";
  // error: the tensor fed to 'x' must have shape [?,3], found [1,2]
});

// graph::constant
// value: a tensor, or a number for a scalar
// Returns a handle to the value. The nodes of the graph share the elements of the tensor.
// No error: every tensor can be a constant.
const shown graph_constant("graph::constant", [] {
  fg::graph g;
  const auto row = g.constant(fg::tensor<float>({3}, {1, 2, 3}));
  const auto two = g.constant(2.f);
  fg::session s(g);
  std::cout << s.run(fg::fetch(row * two))[2] << "\n";
  // prints: 6
});

// graph::variable
// name: the name of the variable in the current scope
// initial: the initial value: a tensor, or an initializer such as fg::zeros<float>({2, 3})
// options: whether optimizers train the variable
// Returns the variable. It has no value before session::initialize or an assignment.
// Guide: variables.md
const shown graph_variable("graph::variable", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>({2}, {1, 2}));
  const auto frozen = g.variable("frozen", fg::zeros<float>({2}), {.trainable = false});
  fg::session s(g);
  s.initialize();
  std::cout << s.run(fg::fetch(w + frozen))[1] << " " << g.trainable_variables().size() << "\n";
  // prints: 2 1

  fg::session other(g);
  const auto read = other.try_run(fg::fetch(w * 1.f));
  std::cout << read.error().message() << "\n";
  // error: attempting to use uninitialized value 'w': run its initializer (session::initialize) first
});

// graph::in_scope
// name: the name of the scope; if it ends in '/', the existing scope is entered again; if it is empty, all scopes are left
// Returns an object that ends the scope when it is destroyed.
// No error: if the name is taken, the graph makes it unique.
const shown graph_in_scope("graph::in_scope", [] {
  fg::graph g;
  for (int i = 0; i < 2; ++i) {
    const auto in = g.in_scope("layer");
    std::cout << g.placeholder<float>("x", {}).name() << "\n";
  }
  // prints: layer/x
  // prints: layer_1/x
});

// graph::on_device
// device: a full or partial device name: "/device:cpu:0"
// Returns an object that ends the scope when it is destroyed.
// Guide: devices.md
const shown graph_on_device("graph::on_device", [] {
  fg::graph g;
  const auto x = g.constant(1.f);
  {
    const auto on = g.on_device("/device:cpu:0");
    fg::session s(g);
    std::cout << s.run(fg::fetch(x + 1.f)).scalar() << "\n";
    // prints: 2
  }

  const auto on = g.on_device("/device:npu:0");
  fg::session t(g);
  const auto y = t.try_run(fg::fetch(x * 3.f));
  std::cout << y.error().message() << "\n";
  // error: no device /device:npu:0; existing: /job:localhost/task:0/device:cpu:0
});

// graph::after
// nodes: handles or nodes; nodes added while the scope is open run after these
// Returns an object that ends the scope when it is destroyed.
// No error: a node of another graph is reported when a node is added in the scope.
const shown graph_after("graph::after", [] {
  fg::graph g;
  const auto count = g.variable("count", fg::tensor<float>(0.f));
  const auto add = fg::assign_add(count, g.constant(1.f));
  const auto later = g.after(add);
  const auto read = fg::identity(count);
  fg::session s(g);
  s.initialize();
  std::cout << s.run(fg::fetch(read)).scalar() << " " << s.run(fg::fetch(read)).scalar() << "\n";
  // prints: 1 2
});

// graph::after_all
// nodes: a list of nodes, which may be composed at run time
// Returns an object that ends the scope when it is destroyed.
// No error: a node of another graph is reported when a node is added in the scope.
const shown graph_after_all("graph::after_all", [] {
  fg::graph g;
  const auto a = g.placeholder<float>("a", {}), b = g.placeholder<float>("b", {});
  const auto later = g.after_all(std::vector<fg::target>{a, b});
  const auto c = g.constant(1.f);
  std::cout << fg::to_string(*c.source) << "\n";
  // prints: Const = Const<float>(^a, ^b) {value=float[]} -> float[]
});

// graph::colocate_with
// with: the node whose device the new nodes share
// Returns an object that ends the scope when it is destroyed.
// No error: the device is chosen when a session plans a run.
const shown graph_colocate_with("graph::colocate_with", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::zeros<float>({2}));
  const auto beside = g.colocate_with(w);
  const auto slot = g.variable("w/slot", fg::zeros<float>({2}));
  std::cout << slot.name() << "\n";
  // prints: w/slot
});

// graph::find
// name: the name of a node with its scopes
// Returns the node, or null if the graph has no node of that name.
// No error: if the name is missing, the function returns null.
const shown graph_find("graph::find", [] {
  fg::graph g;
  g.placeholder<float>("x", {});
  std::cout << (g.find("x") != nullptr) << (g.find("y") != nullptr) << "\n";
  // prints: 10
});

// graph::output
// name: "scope/op:1", or "scope/op" for output 0
// Returns the output, or an error that names the node.
const shown graph_output("graph::output", [] {
  fg::graph g;
  g.placeholder<float>("x", {2});
  const fg::result<fg::any_out> x = g.output("x:0");
  std::cout << fg::name_of(x.value().type()) << fg::to_string(x.value().shape()) << "\n";
  // prints: float[2]

  std::cout << g.output("y").error().message() << "\n";
  // error: the graph has no node named 'y'

  std::cout << g.output("x:3").error().message() << "\n";
  // error: node 'x' has 1 outputs; there is no 'x:3'
});

// graph::size
// Returns the number of nodes, which never decreases.
// No error: reading a count cannot fail.
const shown graph_size("graph::size", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  x + x;
  std::cout << g.size() << "\n";
  // prints: 2
});

// graph::at
// id: the id of the node, less than size()
// Returns the node with that id.
// No error: the caller must pass a number that is in range; this is not checked.
const shown graph_at("graph::at", [] {
  fg::graph g;
  g.placeholder<float>("x", {});
  g.placeholder<float>("y", {});
  for (std::size_t id = 0; id < g.size(); ++id) std::cout << g.at(id)->name << "\n";
  // prints: x
  // prints: y
});

// graph::first_error
// Returns the first error, or an error with the code `ok` if no construction failed. With exceptions, the failing call raises
// the error instead.
// No error: the error is the result.
// Guide: errors.md
const shown graph_first_error("graph::first_error", [] {
  fg::graph g;
  g.placeholder<float>("x", {});
  std::cout << (g.first_error() ? "failed" : "fine") << "\n";
  // prints: fine
});

// graph::set_seed
// seed: the seed for all ops without their own seed
// No error: every number is a valid seed.
const shown graph_set_seed("graph::set_seed", [] {
  fg::graph a, b;
  a.set_seed(7), b.set_seed(7);
  fg::session sa(a), sb(b);
  const auto x = sa.run(fg::fetch(fg::random_uniform<float>(a, fg::shape{3})));
  const auto y = sb.run(fg::fetch(fg::random_uniform<float>(b, fg::shape{3})));
  std::cout << (x[2] == y[2] ? "equal" : "different") << "\n";
  // prints: equal
});

// graph::seed
// Returns the graph's seed.
// No error: every graph has a seed.
const shown graph_seed("graph::seed", [] {
  fg::graph g;
  g.set_seed(42);
  std::cout << g.seed() << "\n";
  // prints: 42
});

// graph::variables
// within: the name of a scope or variable; empty: the whole graph
// Returns the variables in the order of their creation.
// No error: for a scope without variables, the function returns an empty list.
const shown graph_variables("graph::variables", [] {
  fg::graph g;
  g.variable("a/w", fg::zeros<float>({2}));
  g.variable("b/w", fg::zeros<float>({2}), {.trainable = false});
  std::cout << g.variables().size() << g.variables("b").size() << "\n";
  // prints: 21
});

// graph::trainable_variables
// within: the name of a scope or variable; empty: the whole graph
// Returns the variables that minimize(loss) trains, in the order of their creation.
// No error: for a scope without variables, the function returns an empty list.
const shown graph_trainable_variables("graph::trainable_variables", [] {
  fg::graph g;
  g.variable("a/w", fg::zeros<float>({2}));
  g.variable("b/w", fg::zeros<float>({2}), {.trainable = false});
  std::cout << g.trainable_variables().size() << "\n";
  // prints: 1
});

// graph::is_trainable
// variable: a variable of the graph
// Returns true if optimizers train the variable unless they are given a list of variables.
// No error: for a node that is not a variable, the function returns false.
const shown graph_is_trainable("graph::is_trainable", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::zeros<float>({2}));
  std::cout << g.is_trainable(w);
  g.set_trainable(w, false);
  std::cout << g.is_trainable(w) << "\n";
  // prints: 10
});

// graph::set_trainable
// variable: a variable of the graph
// within: a scope, for all its variables
// trainable: whether optimizers that are created later train the variables
// Returns the number of variables that were set.
// No error: a node that is not a variable is ignored.
const shown graph_set_trainable("graph::set_trainable", [] {
  fg::graph g;
  g.variable("encoder/w", fg::zeros<float>({2}));
  g.variable("encoder/b", fg::zeros<float>({2}));
  g.variable("head/w", fg::zeros<float>({2}));
  std::cout << g.set_trainable("encoder", false) << " " << g.trainable_variables().size() << "\n";
  // prints: 2 1
});

// graph::add_variable
// variable: the output of a node that was added by the name of its op
// trainable: whether optimizers train the variable
// No error: an output that is already a variable can be passed again.
const shown graph_add_variable("graph::add_variable", [] {
  fg::graph g;
  const auto w = fg::apply_in<float>(g, fg::variable_v2_op{fg::shape{2}});
  g.add_variable(w, true);
  std::cout << g.variables().size() << "\n";
  // prints: 1
});

// graph::initializers
// Returns the nodes that session::initialize runs.
// No error: for a graph without variables, the function returns an empty list.
const shown graph_initializers("graph::initializers", [] {
  fg::graph g;
  g.variable("w", fg::zeros<float>({2}));
  for (const fg::node* n : g.initializers()) std::cout << n->name << "\n";
  // prints: w/Assign
});

// graph::replace_gradient
// op: the name of an op: "Floor"
// body: a function that receives the node and the gradients of its outputs and appends a gradient for each input
// No error: if no node has this op, nothing is replaced.
// Guide: gradients.md
const shown graph_replace_gradient("graph::replace_gradient", [] {
  fg::graph g;
  g.replace_gradient("Floor",
                     [](const fg::node&, std::span<const fg::any_grad> dy, fg::gradient_list& dx) { dx.push_back(dy[0]); });
  const auto x = g.placeholder<float>("x", {});
  fg::session s(g);
  std::cout << s.run(fg::fetch(fg::gradients(fg::floor(x) * 3.f, x)), {{x, 1.5f}}).scalar() << "\n";
  // prints: 3
});

// graph::replaced_gradient
// op: the name of an op
// Returns the replacing function, or an empty function if the gradient of the op was not replaced.
// No error: if the gradient was not replaced, the result is an empty function.
// Guide: gradients.md
const shown graph_replaced_gradient("graph::replaced_gradient", [] {
  fg::graph g;
  std::cout << (g.replaced_gradient("Floor") ? "replaced" : "its own") << "\n";
  // prints: its own
});

// graph::clone
// Returns the copy. Handles and sessions of the original graph do not refer to the copy.
// No error: every graph can be copied.
const shown graph_clone("graph::clone", [] {
  fg::graph g;
  g.placeholder<float>("x", {});
  fg::graph copy = g.clone();
  copy.placeholder<float>("y", {});
  std::cout << g.size() << copy.size() << "\n";
  // prints: 12
});

// operators
// a: a handle, a variable or a scalar
// b: a handle, a variable or a scalar; at least one of a and b must be a handle
// Returns a handle to the result. The shapes are broadcast: counted from the last axis, extents must be equal, 1 or missing.
const shown operators("operators", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 2}, {1, 2, 3, 4}));
  const auto row = g.constant(fg::tensor<float>({2}, {10, 20}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(2.f * x + row));
  std::cout << y[0] << " " << y[1] << " " << y[2] << " " << y[3] << "\n";
  // prints: 12 24 16 28

  try {
    x + g.constant(fg::tensor<float>({3}));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: incompatible shapes: expected ones that broadcast; found Const float[2,2], Const_2 float[3]
});

// gradients
// s: the name of the nodes and the line of the program; the first parameter in this overload
// options: handles to treat as constants, and whether a missing gradient is an error
// loss: the handle to differentiate; its elements are summed
// with_respect_to: a list of handles or variables to differentiate with respect to
// a: a handle or variable to differentiate with respect to
// b: another handle or variable
// c: another handle or variable
// d: another handle or variable
// e: another handle or variable
// more: further handles or variables
// Returns a gradient for each handle or variable, in their order: a single gradient, or a std::tuple that `auto [dx, dw]`
// unpacks.
const shown gradients_("gradients", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  fg::session s(g);
  const auto dx = s.run(fg::fetch(fg::gradients(fg::sum(x * x), x)), {{x, fg::tensor<float>({2}, {3, 4})}});
  std::cout << dx[0] << " " << dx[1] << "\n";
  // prints: 6 8

  const auto z = g.placeholder<float>("z", {});
  try {
    fg::gradients(fg::sum(x), z);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the loss 'Sum_1' does not depend on 'z' through differentiable ops; ask with allow_none to get none instead
});
