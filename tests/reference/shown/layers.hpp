// Full entries of the reference: layers, losses, matrices, variables and initial values.

// relu
// x: the elements
// Returns a handle to the results, which have the shape of x.
// No error: undefined results are NaN or infinite.
const shown relu_("relu", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {-1, 2}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::relu(x)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 0 2
});

// tanh
// x: the elements
// Returns a handle to the results, which have the shape of x.
// No error: undefined results are NaN or infinite.
const shown tanh_("tanh", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {0, 1}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::tanh(x)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 0 0.761594
});

// sigmoid
// x: the elements
// Returns a handle to the results, which have the shape of x.
// No error: undefined results are NaN or infinite.
const shown sigmoid_("sigmoid", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {0, 2}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::sigmoid(x)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 0.5 0.880797
});

// softplus
// x: the elements
// Returns a handle to the results, which have the shape of x.
// No error: undefined results are NaN or infinite.
const shown softplus_("softplus", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {0, 1}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::softplus(x)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 0.693147 1.31326
});

// matmul
// a: matrices, whose last two axes are rows and columns
// b: matrices with as many rows as `a` has columns
// options: whether to transpose `a` or `b` first
// Returns a handle to the product, [rows of a, columns of b].
const shown matmul_("matmul", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  const auto w = g.constant(fg::tensor<float>({3, 1}, {1, 0, 1}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::matmul(x, w)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 4 10

  try {
    fg::matmul(x, x);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the inner dimensions differ; found Const float[2,3], Const float[2,3]
});

// softmax_cross_entropy
// logits: the score of each class, [..., classes]
// labels: the probability of each class, with the same shape
// Returns a handle to the loss of each row.
const shown softmax_cross_entropy_("softmax_cross_entropy", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({1, 2}, {2, 0})), t = g.constant(fg::tensor<float>({1, 2}, {1, 0}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::softmax_cross_entropy(x, t)));
  std::cout << y[0] << "\n";
  // prints: 0.126928

  try {
    fg::softmax_cross_entropy(x, g.constant(fg::tensor<float>({1, 3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: logits and labels must have one shape; found Const float[1,2], Const_2 float[1,3]
});

// sigmoid_cross_entropy
// logits: the outputs of the model
// labels: the probabilities, of the shape of the logits
// Returns a handle to the cross entropy of each element.
const shown sigmoid_cross_entropy_("sigmoid_cross_entropy", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {0, 2})), t = g.constant(fg::tensor<float>({2}, {1, 1}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::sigmoid_cross_entropy(x, t)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 0.693147 0.126928

  try {
    fg::sigmoid_cross_entropy(x, g.constant(fg::tensor<float>({3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: sigmoid_cross_entropy: expected two handles of the same shape, found 'Const' of shape [2], 'Const_2' of shape [3]
});

// sparse_softmax_cross_entropy
// logits: the score of each class, [..., classes]
// labels: the index of the correct class of each row
// Returns a handle to the loss of each row.
const shown sparse_softmax_cross_entropy_("sparse_softmax_cross_entropy", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({1, 2}, {2, 0}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::sparse_softmax_cross_entropy(x, g.constant(fg::tensor<std::int32_t>({1}, {0})))));
  std::cout << y[0] << "\n";
  // prints: 0.126928

  try {
    fg::sparse_softmax_cross_entropy(x, g.constant(fg::tensor<std::int32_t>({2})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected as many labels as rows of logits; found Const float[1,2], Const_2 int32[2]
});

// einsum
// equation: a letter for each axis of the inputs and of the result: "ij,jk->ik"
// inputs: one or two tensors
// Returns a handle to the products of the elements, summed over the letters that are missing from the result.
const shown einsum_("einsum", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::einsum("ij,ij->i", {x, x})));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 14 77

  try {
    fg::einsum("ij,jk->ik", {x, x});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected one extent for j, found 3 and 2; found Const float[2,3], Const float[2,3]
});

// assign
// v: the variable
// value: a value with the shape of the variable
// Returns a handle to the changed variable. The variable changes in each run that needs this handle.
// Guide: variables.md
const shown assign_("assign", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>({2}, {5, 6}));
  fg::session s(g);
  s.initialize();
  s.run(fg::assign(w, g.constant(fg::tensor<float>({2}, {1, 2}))));
  std::cout << s.run(fg::fetch(w + 0.f))[1] << "\n";
  // prints: 2

  try {
    fg::assign(w, g.constant(fg::tensor<float>({3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected a value of the variable's shape [2]; found w float[2], Const_1 float[3]
});

// assign_add
// v: the variable
// value: a value with the shape of the variable
// Returns a handle to the changed variable. The variable changes in each run that needs this handle.
// Guide: variables.md
const shown assign_add_("assign_add", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>({2}, {5, 6}));
  fg::session s(g);
  s.initialize();
  s.run(fg::assign_add(w, g.constant(fg::tensor<float>({2}, {1, 2}))));
  std::cout << s.run(fg::fetch(w + 0.f))[1] << "\n";
  // prints: 8

  try {
    fg::assign_add(w, g.constant(fg::tensor<float>({3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected a value of the variable's shape [2]; found w float[2], Const_1 float[3]
});

// assign_sub
// v: the variable
// value: a value with the shape of the variable
// Returns a handle to the changed variable. The variable changes in each run that needs this handle.
// Guide: variables.md
const shown assign_sub_("assign_sub", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>({2}, {5, 6}));
  fg::session s(g);
  s.initialize();
  s.run(fg::assign_sub(w, g.constant(fg::tensor<float>({2}, {1, 2}))));
  std::cout << s.run(fg::fetch(w + 0.f))[1] << "\n";
  // prints: 4

  try {
    fg::assign_sub(w, g.constant(fg::tensor<float>({3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected a value of the variable's shape [2]; found w float[2], Const_1 float[3]
});

// group
// g: the graph
// nodes: the nodes to run
// first: the first node to run
// Returns one target that runs all these nodes.
// No error: an empty group runs nothing.
const shown group_("group", [] {
  fg::graph g;
  const auto a = g.variable("a", fg::zeros<float>({})), b = g.variable("b", fg::zeros<float>({}));
  fg::session s(g);
  s.initialize();
  s.run(fg::group(fg::assign_add(a, g.constant(1.f)), fg::assign_add(b, g.constant(2.f))));
  std::cout << s.run(fg::fetch(a + b)).scalar() << "\n";
  // prints: 3
});

// zeros
// s: the shape of the variable
// Returns an initializer for graph::variable that sets all elements to zero.
// No error: the initializer only describes the value.
// Guide: variables.md
const shown zeros_("zeros", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::zeros<float>({2}));
  fg::session s(g);
  s.initialize();
  std::cout << s.run(fg::fetch(fg::sum(w))).scalar() << "\n";
  // prints: 0
});

// ones
// s: the shape of the variable
// Returns an initializer for graph::variable that sets all elements to one.
// No error: the initializer only describes the value.
// Guide: variables.md
const shown ones_("ones", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::ones<float>({2}));
  fg::session s(g);
  s.initialize();
  std::cout << s.run(fg::fetch(fg::sum(w))).scalar() << "\n";
  // prints: 2
});

// glorot_uniform
// s: the shape of the weights, whose last two extents are the numbers of inputs and outputs
// seed: the seed; empty: a seed derived from the seed of the graph
// Returns an initializer for graph::variable.
// No error: the initializer only describes the value.
// Guide: variables.md
const shown glorot_uniform_("glorot_uniform", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::glorot_uniform<float>({100, 10}, 1));
  fg::session s(g);
  s.initialize();
  std::cout << (std::abs(s.run(fg::fetch(fg::mean(w))).scalar()) < 0.05f) << "\n";
  // prints: 1
});

// glorot_normal
// s: the shape of the weights, whose last two extents are the numbers of inputs and outputs
// seed: the seed; empty: a seed derived from the seed of the graph
// Returns an initializer for graph::variable.
// No error: the initializer only describes the value.
// Guide: variables.md
const shown glorot_normal_("glorot_normal", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::glorot_normal<float>({100, 10}, 1));
  fg::session s(g);
  s.initialize();
  std::cout << (std::abs(s.run(fg::fetch(fg::mean(w))).scalar()) < 0.05f) << "\n";
  // prints: 1
});

// he_uniform
// s: the shape of the weights, whose last two extents are the numbers of inputs and outputs
// seed: the seed; empty: a seed derived from the seed of the graph
// Returns an initializer for graph::variable.
// No error: the initializer only describes the value.
// Guide: variables.md
const shown he_uniform_("he_uniform", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::he_uniform<float>({100, 10}, 1));
  fg::session s(g);
  s.initialize();
  std::cout << (std::abs(s.run(fg::fetch(fg::mean(w))).scalar()) < 0.05f) << "\n";
  // prints: 1
});

// he_normal
// s: the shape of the weights, whose last two extents are the numbers of inputs and outputs
// seed: the seed; empty: a seed derived from the seed of the graph
// Returns an initializer for graph::variable.
// No error: the initializer only describes the value.
// Guide: variables.md
const shown he_normal_("he_normal", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::he_normal<float>({100, 10}, 1));
  fg::session s(g);
  s.initialize();
  std::cout << (std::abs(s.run(fg::fetch(fg::mean(w))).scalar()) < 0.05f) << "\n";
  // prints: 1
});
