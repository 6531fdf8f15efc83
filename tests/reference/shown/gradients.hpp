// Full entries of the reference: derivatives of vectors, variables behind handles, texts of graphs.

// flatten
// parts: handles, variables or gradients of the same type
// Returns a handle to a vector of all elements, in the order of the parts.
const shown flatten_("flatten", [] {
  fg::graph g;
  const auto a = g.constant(fg::tensor<float>({2, 1}, {1, 2})), b = g.constant(3.f);
  const auto y = fg::session(g).run(fg::fetch(fg::flatten({a, b})));
  std::cout << y[0] << y[1] << y[2] << "\n";
  // prints: 123

  try {
    fg::flatten(fg::out_list<float>{});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: all inputs are empty handles
});

// unflatten
// vector: a vector as returned by `flatten`
// like: handles with the shapes of the parts
// Returns a list of handles, one part for each handle of `like`.
const shown unflatten_("unflatten", [] {
  fg::graph g;
  const auto a = g.constant(fg::tensor<float>({2, 1}, {1, 2})), b = g.constant(3.f);
  const auto parts = fg::unflatten(g.constant(fg::tensor<float>({3}, {4, 5, 6})), {a, b});
  fg::session s(g);
  const auto [first, second] = s.run(fg::fetch(parts[0], parts[1]));
  std::cout << fg::to_string(first.shape()) << " " << second.scalar() << "\n";
  // prints: [2,1] 6

  const auto v = g.placeholder<float>("v", {fg::any});
  const auto short_by_one = fg::unflatten(v, {a, b});
  std::cout << s.try_run(fg::fetch(short_by_one[0]), {{v, fg::tensor<float>({2})}}).error().message() << "\n";
  // error: size_splits must add up to extent 2 of axis 0; found v float[2], split/sizes_1 int64[2], split/split_dim_1 int32[]
});

// jacobian_matrix
// y: the handle to differentiate
// x: the handles or variables to differentiate with respect to
// o: whether the backward passes run one after another
// Returns a handle to a matrix with a row for each element of y and a column for each element of x.
const shown jacobian_matrix_("jacobian_matrix", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {3, 4}));
  const auto y = fg::session(g).run(fg::fetch(fg::jacobian_matrix(x * x, {x})));
  std::cout << y(0, 0) << " " << y(0, 1) << " " << y(1, 0) << " " << y(1, 1) << "\n";
  // prints: 6 0 0 8

  try {
    fg::jacobian_matrix(x * x, {g.placeholder<float>("z", {2})});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the loss 'Mul_1' does not depend on 'z' through differentiable ops; ask with allow_none to get none instead
});

// hessian_vector_product
// loss: the scalar to differentiate
// x: the handles to differentiate twice with respect to
// v: the vector to multiply by, as tensors with the shapes of x
// Returns a handle for each handle of x, with the same shape.
const shown hessian_vector_product_("hessian_vector_product", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {3, 4})), v = g.constant(fg::tensor<float>({2}, {1, 10}));
  const auto y = fg::session(g).run(fg::fetch(fg::hessian_vector_product(fg::sum(x * x * x), x, v)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 18 240

  try {
    fg::hessian_vector_product(fg::sum(x * x), x, g.constant(fg::tensor<float>({3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: each vector has the shape of its handle; found 'Const' of shape [2], vector 'Const_3' of shape [3]
});

// grad
// Guide: gradients.md
const shown grad_("grad", [] {
  fg::graph g;
  const auto table = g.variable("table", fg::ones<float>({3, 1}));
  const fg::grad<float> rows = fg::gradients(fg::sum(fg::gather(table, g.constant(fg::tensor<std::int32_t>({1}, {2})))), table);
  fg::session s(g);
  s.initialize();
  std::cout << rows.is_none() << rows.is_slices() << " " << s.run(fg::fetch(rows.slices().indices))[0] << " "
            << fg::to_string(s.run(fg::fetch(rows.dense())).shape()) << "\n";
  // prints: 01 2 [3,1]

  try {
    fg::square(fg::gradients(fg::sum(table), g.placeholder<float>("z", {}), {.allow_none = true}));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: all inputs are empty handles
});

// variable
// Guide: variables.md
const shown variable_("variable", [] {
  fg::graph g;
  const fg::variable<float> w = g.variable("w", fg::tensor<float>({2}, {1, 2}));
  fg::session s(g);
  s.run(fg::target{w.initializer});
  std::cout << w.name() << " " << s.run(fg::fetch(w * 10.f))[1] << "\n";
  // prints: w 20

  fg::session other(g);
  std::cout << other.try_run(fg::fetch(w * 10.f)).error().message() << "\n";
  // error: attempting to use uninitialized value 'w': run its initializer (session::initialize) first
});

// variable_behind
// handle: an output that refers to a variable, as in imported graphs
// Returns the variable, or the error. The caller specifies the element type.
// Guide: interop.md
const shown variable_behind_("variable_behind", [] {
  fg::graph g;
  const auto handle = fg::apply_in<float>(g, fg::var_handle_op{.declared = {2}});
  const fg::variable<float> w = fg::variable_behind<float>(handle).value();
  std::cout << fg::to_string(w.shape()) << "\n";
  // prints: [2]

  std::cout << fg::variable_behind<double>(handle).error().message() << "\n";
  // error: the variable behind handle 'VarHandleOp' is float, expected double
});

// assign_all
// g: the graph
// list: pairs of a variable and a handle to its new value
// Returns a target that assigns all new values.
// Guide: variables.md
const shown assign_all_("assign_all", [] {
  fg::graph g;
  const auto a = g.variable("a", fg::tensor<float>(1.f)), b = g.variable("b", fg::tensor<float>(2.f));
  const fg::target swap = fg::assign_all(g, {{a, b}, {b, a}});
  fg::session s(g);
  s.initialize();
  s.run(swap);
  const auto [x, y] = s.run(fg::fetch(a * 1.f, b * 1.f));
  std::cout << x.scalar() << y.scalar() << "\n";
  // prints: 21

  const fg::target wrong = fg::assign_all(g, {{a, g.constant(fg::tensor<float>({2}))}});
  std::cout << s.try_run(wrong).error().message() << "\n";
  // error: the assigned value must have the variable's shape [], found [2]
});

// strided_slice
// x: the elements
// begin: the first index of each axis
// end: the end index of each axis, exclusive
// strides: the step between the indices of each axis
// masks: bit masks of the axes for which begin or end is ignored
// entries: an entry for each axis, as in a Python slice
// Returns a handle to the selected elements.
const shown strided_slice_("strided_slice", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}));
  const auto odd = fg::strided_slice(x, {fg::slice_spec::all(), fg::slice_spec::from(1, 2)});
  const auto last_row = fg::strided_slice(x, {-1, fg::slice_spec::ellipsis()});
  const auto [a, b] = fg::session(g).run(fg::fetch(odd, last_row));
  std::cout << a[0] << a[1] << a[2] << a[3] << " " << fg::to_string(b.shape()) << "\n";
  // prints: 2468 [4]

  try {
    fg::strided_slice(x, {5});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: index 5 of axis 0 must lie in [-2, 2); found Const float[2,4], StridedSlice/begin_2 int32[1], StridedSlice/end_2
  //   int32[1], StridedSlice/strides_2 int32[1]
});

// slice_spec
const shown slice_spec_("slice_spec", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}));
  using fg::slice_spec;
  std::cout << fg::to_string(fg::strided_slice(x, {0, slice_spec::to(3)}).shape())
            << fg::to_string(fg::strided_slice(x, {slice_spec::all(), slice_spec::between(1, -1)}).shape())
            << fg::to_string(fg::strided_slice(x, {slice_spec::new_axis(), slice_spec::ellipsis()}).shape()) << "\n";
  // prints: [3][2,2][1,2,4]

  try {
    fg::strided_slice(x, {0, 0, 0});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected at most 2 entries that name an axis; found Const float[2,4], StridedSlice/begin_3 int32[3],
  //   StridedSlice/end_3 int32[3], StridedSlice/strides_3 int32[3]
});

// array/embedding.hpp: embedding_lookup_sparse
// parts: the parts of the embedding table
// table: the embedding table, with a row for each id
// ids: the ids of all rows, in the order of the rows
// lines: the index of the line of each id, in ascending order
// weights: the weight of each id
// how: how to combine rows: the sum, the mean, or the sum divided by the root of the sum of squared weights
// strategy: how the ids are distributed over the parts
// Returns a handle to the combined rows, one for each line.
// Guide: embeddings.md
const shown embedding_lookup_sparse_("array/embedding.hpp: embedding_lookup_sparse", [] {
  fg::graph g;
  const auto table = g.constant(fg::tensor<float>({3, 1}, {1, 10, 100}));
  const auto ids = g.constant(fg::tensor<std::int32_t>({3}, {0, 2, 1})),
             lines = g.constant(fg::tensor<std::int32_t>({3}, {0, 0, 1}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::embedding_lookup_sparse(table, ids, lines, fg::combiner::sum)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 101 10

  const auto wrong = fg::embedding_lookup_sparse(table, g.constant(fg::tensor<std::int32_t>({3}, {0, 7, 1})), lines);
  std::cout << s.try_run(fg::fetch(wrong)).error().message() << "\n";
  // error: indices[1] = 7 is not in [0, 3)
});

// tensor_diag_part
// x: a tensor whose shape is twice the same extents, such as {2, 3, 2, 3}
// Returns a handle to the diagonal.
const shown tensor_diag_part_("tensor_diag_part", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 2}, {1, 2, 3, 4}));
  const auto y = fg::session(g).run(fg::fetch(fg::tensor_diag_part(x)));
  std::cout << y[0] << y[1] << "\n";
  // prints: 14

  try {
    fg::tensor_diag_part(g.constant(fg::tensor<float>({2, 3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: axes 0 and 1 must have one extent; found Const_1 float[2,3]
});
