// Full entries of the reference: ops of arrays and strings.

// zeros_like
// x: the elements
// Returns a handle to the results, which have the shape of x.
// No error: undefined results are NaN or infinite.
const shown zeros_like_("zeros_like", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {3, 4}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::zeros_like(x)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 0 0
});

// concat
// values: tensors that have equal extents except along `axis`
// axis: the axis along which the tensors are joined
// Returns a handle to the joined tensor.
const shown concat_("concat", [] {
  fg::graph g;
  const auto a = g.constant(fg::tensor<float>({2}, {1, 2})), b = g.constant(fg::tensor<float>({1}, {3}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::concat({a, b}, 0)));
  std::cout << y.size() << " " << y[2] << "\n";
  // prints: 3 3

  try {
    fg::concat({a, b}, 1);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: axis must be in [-1, 1), found 1; found Const float[2], Const_1 float[1], ConcatV2/axis_1 int32[]
});

// pack
// values: tensors of the same shape
// axis: the position of the new axis
// Returns a handle to the stacked tensors, which have one more axis than each tensor.
const shown pack_("pack", [] {
  fg::graph g;
  const auto a = g.constant(fg::tensor<float>({2}, {1, 2})), b = g.constant(fg::tensor<float>({2}, {3, 4}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::pack({a, b})));
  std::cout << fg::to_string(y.shape()) << " " << y(1, 0) << "\n";
  // prints: [2,2] 3

  try {
    fg::pack({a, g.constant(fg::tensor<float>({3}))});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the values must have one shape, found [2] and [3]; found Const float[2], Const_2 float[3]
});

// split
// x: the tensor to split
// parts: the number of equal parts
// sizes: the extent of each part along the axis
// axis: the axis along which the tensor is cut
// Returns a list of handles, one per part.
const shown split_("split", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::split(x, 3, 1)[2]));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 3 6

  try {
    fg::split(x, 2, 1);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: num_split must divide extent 3 of axis 1; found split/split_dim_1 int32[], Const float[2,3]
});

// reshape
// x: the elements
// to: the new shape; one extent may be -1 and is then computed
// Returns a handle to the same elements with the new shape.
const shown reshape_("reshape", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::reshape(x, fg::shape{3, -1})));
  std::cout << fg::to_string(y.shape()) << "\n";
  // prints: [3,2]

  try {
    fg::reshape(x, fg::shape{4, -1});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: 6 elements do not make a tensor of shape [4,?]; found Const float[2,3], Reshape/shape_1 int32[2]
});

// expand_dims
// x: the elements
// axis: the position of the new axis; -1: at the end
// Returns a handle to the same elements with an additional axis of extent 1.
const shown expand_dims_("expand_dims", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::expand_dims(x, 0)));
  std::cout << fg::to_string(y.shape()) << "\n";
  // prints: [1,2,3]

  try {
    fg::expand_dims(x, 5);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: dim must be in [-3, 3), found 5; found Const float[2,3], ExpandDims/dim_1 int32[]
});

// transpose
// x: the elements
// perm: for each axis of the result, the corresponding axis of x; if omitted, the axes are reversed
// Returns a handle to the elements with permuted axes.
const shown transpose_("transpose", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::transpose(x)));
  std::cout << fg::to_string(y.shape()) << " " << y(0, 1) << "\n";
  // prints: [3,2] 4

  try {
    fg::transpose(x, fg::shape{0, 0});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: perm must name every axis once, found [0,0]; found Const float[2,3], transpose/perm_1 int32[2]
});

// slice
// x: the elements
// begin: the first index along each axis
// size: the extent along each axis; -1: up to the end
// Returns a handle to the selected block.
const shown slice_("slice", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::slice(x, fg::shape{0, 1}, fg::shape{2, -1})));
  std::cout << fg::to_string(y.shape()) << " " << y(1, 1) << "\n";
  // prints: [2,2] 6

  try {
    fg::slice(x, fg::shape{0, 2}, fg::shape{2, 2});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: begin and size of axis 1 must not reach beyond its extent 3; found Const float[2,3], Slice/begin_1 int32[2], Slice/size_1 int32[2]
});

// gather
// params: the tensor to read from
// indices: the indices to read, of any shape
// axis: the axis that the indices refer to
// Returns a handle to the slices. In the shape of the result, the shape of the indices replaces the extent of the axis.
const shown gather_("gather", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::gather(x, g.constant(fg::tensor<std::int32_t>({2}, {2, 0})), 1)));
  std::cout << y(0, 0) << " " << y(0, 1) << "\n";
  // prints: 3 1

  try {
    fg::gather(x, g.constant(0), 2);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: axis must be in [-2, 2), found 2; found Const float[2,3], Const_2 int32[], GatherV2/axis_1 int32[]
});

// one_hot
// indices: the position of the value `on` in each vector; an index outside [0, depth) gives a vector of `off` values
// depth: the length of the vectors
// on: the value at the index; 1 by default
// off: the value at all other positions; 0 by default
// axis: the position of the new axis; -1: at the end
// Returns a handle to the vectors: the result has the shape of the indices with an additional axis.
const shown one_hot_("one_hot", [] {
  fg::graph g;
  const auto i = g.constant(fg::tensor<std::int32_t>({2}, {2, 0}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::one_hot(i, 3)));
  std::cout << fg::to_string(y.shape()) << " " << y(0, 2) << y(1, 2) << "\n";
  // prints: [2,3] 10

  try {
    fg::one_hot(i, 3, 5);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: axis must be in [-1, 1], found 5; found Const int32[2], OneHot/depth_1 int32[], OneHot/on_value_1 float[], OneHot/off_value_1 float[]
});

// range
// start: the first number
// limit: the end of the range, which is not included
// delta: the difference between consecutive numbers
// Returns a handle to the vector of numbers.
const shown range_("range", [] {
  fg::graph g;
  fg::session s(g);
  const auto start = g.constant(1), limit = g.constant(7);
  const auto y = s.run(fg::fetch(fg::range(start, limit, g.constant(2))));
  std::cout << y.size() << " " << y[2] << "\n";
  // prints: 3 5

  try {
    fg::range(start, limit, g.constant(0));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: delta must not be 0; found Const int32[], Const_1 int32[], Const_3 int32[]
});

// identity
// x: a handle or a variable
// Returns a handle to the same value as the output of a new node.
// No error: the value is passed through unchanged.
const shown identity_("identity", [] {
  fg::graph g;
  const auto x = g.constant(2.f);
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::identity(x)));
  std::cout << y.scalar() << "\n";
  // prints: 2
});

// stop_gradient
// x: a handle
// Returns a handle to the same value that blocks gradients.
// No error: the value is passed through unchanged.
// Guide: gradients.md
const shown stop_gradient_("stop_gradient", [] {
  fg::graph g;
  const auto x = g.constant(3.f);
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::gradients(x * fg::stop_gradient(x), x)));
  std::cout << y.scalar() << "\n";
  // prints: 3
});

// embedding_lookup
// table: the embedding table, with a row per id
// parts: the parts of the table
// ids: the rows to read, of any shape
// how: the distribution of the rows over the parts
// Returns a handle to the rows. The result has the axes of the ids, followed by the axes of a row.
// No error: an id without a row in the table is an error of the run.
// Guide: embeddings.md
const shown embedding_lookup_("embedding_lookup", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::embedding_lookup(x, g.constant(fg::tensor<std::int32_t>({1}, {1})))));
  std::cout << y[0] << " " << y[2] << "\n";
  // prints: 4 6
});

// string_join
// parts: string tensors of the same shape, or scalars
// separator: the text between two parts
// Returns a handle to the joined strings.
// No error: strings of the same shape can always be joined.
const shown string_join_("string_join", [] {
  fg::graph g;
  const auto a = g.constant(std::string("a")), b = g.constant(std::string("b"));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::string_join({a, b}, "-")));
  std::cout << y.scalar() << "\n";
  // prints: a-b
});
