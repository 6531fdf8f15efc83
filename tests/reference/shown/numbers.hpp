// Full entries of the reference: ops element by element, and over axes.

// square
// x: the elements
// Returns a handle to the results, which have the shape of x.
// No error: undefined results are NaN or infinite.
const shown square_("square", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {3, -4}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::square(x)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 9 16
});

// sqrt
// x: the elements
// Returns a handle to the results, which have the shape of x.
// No error: undefined results are NaN or infinite.
const shown sqrt_("sqrt", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {4, 9}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::sqrt(x)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 2 3
});

// rsqrt
// x: the elements
// Returns a handle to the results, which have the shape of x.
// No error: undefined results are NaN or infinite.
const shown rsqrt_("rsqrt", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {4, 16}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::rsqrt(x)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 0.5 0.25
});

// exp
// x: the elements
// Returns a handle to the results, which have the shape of x.
// No error: undefined results are NaN or infinite.
const shown exp_("exp", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {0, 1}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::exp(x)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 1 2.71828
});

// log
// x: the elements
// Returns a handle to the results, which have the shape of x.
// No error: undefined results are NaN or infinite.
const shown log_("log", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {1, 2}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::log(x)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 0 0.693147
});

// sin
// x: the elements
// Returns a handle to the results, which have the shape of x.
// No error: undefined results are NaN or infinite.
const shown sin_("sin", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {0, 1}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::sin(x)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 0 0.841471
});

// cos
// x: the elements
// Returns a handle to the results, which have the shape of x.
// No error: undefined results are NaN or infinite.
const shown cos_("cos", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {0, 1}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::cos(x)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 1 0.540302
});

// erf
// x: the elements
// Returns a handle to the results, which have the shape of x.
// No error: undefined results are NaN or infinite.
const shown erf_("erf", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {0, 1}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::erf(x)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 0 0.842701
});

// logical_not
// x: the elements
// Returns a handle to the results, which have the shape of x.
// No error: the operation is defined for both booleans.
const shown logical_not_("logical_not", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<bool>({2}, {true, false}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::logical_not(x)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 0 1
});

// maximum
// a: a handle
// b: a handle, or a scalar
// Returns a handle to the results. The shapes of a and b are broadcast.
const shown maximum_("maximum", [] {
  fg::graph g;
  const auto a = g.constant(fg::tensor<float>({2}, {1, 5}));
  const auto b = g.constant(fg::tensor<float>({2}, {4, 2}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::maximum(a, b)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 4 5

  try {
    fg::maximum(a, g.constant(fg::tensor<float>({3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: incompatible shapes: expected ones that broadcast; found Const float[2], Const_2 float[3]
});

// squared_difference
// a: a handle
// b: a handle, or a scalar
// Returns a handle to the results. The shapes of a and b are broadcast.
const shown squared_difference_("squared_difference", [] {
  fg::graph g;
  const auto a = g.constant(fg::tensor<float>({2}, {1, 5}));
  const auto b = g.constant(fg::tensor<float>({2}, {4, 2}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::squared_difference(a, b)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 9 9

  try {
    fg::squared_difference(a, g.constant(fg::tensor<float>({3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: incompatible shapes: expected ones that broadcast; found Const float[2], Const_2 float[3]
});

// equal
// a: a handle
// b: a handle, or a scalar
// Returns a handle to the results. The shapes of a and b are broadcast.
const shown equal_("equal", [] {
  fg::graph g;
  const auto a = g.constant(fg::tensor<float>({2}, {1, 5}));
  const auto b = g.constant(fg::tensor<float>({2}, {1, 2}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::equal(a, b)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 1 0

  try {
    fg::equal(a, g.constant(fg::tensor<float>({3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: incompatible shapes: expected ones that broadcast; found Const float[2], Const_2 float[3]
});

// not_equal
// a: a handle
// b: a handle, or a scalar
// Returns a handle to the results. The shapes of a and b are broadcast.
const shown not_equal_("not_equal", [] {
  fg::graph g;
  const auto a = g.constant(fg::tensor<float>({2}, {1, 5}));
  const auto b = g.constant(fg::tensor<float>({2}, {1, 2}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::not_equal(a, b)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 0 1

  try {
    fg::not_equal(a, g.constant(fg::tensor<float>({3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: incompatible shapes: expected ones that broadcast; found Const float[2], Const_2 float[3]
});

// less
// a: a handle
// b: a handle, or a scalar
// Returns a handle to the results. The shapes of a and b are broadcast.
const shown less_("less", [] {
  fg::graph g;
  const auto a = g.constant(fg::tensor<float>({2}, {1, 5}));
  const auto b = g.constant(fg::tensor<float>({2}, {4, 2}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::less(a, b)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 1 0

  try {
    fg::less(a, g.constant(fg::tensor<float>({3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: incompatible shapes: expected ones that broadcast; found Const float[2], Const_2 float[3]
});

// greater
// a: a handle
// b: a handle, or a scalar
// Returns a handle to the results. The shapes of a and b are broadcast.
const shown greater_("greater", [] {
  fg::graph g;
  const auto a = g.constant(fg::tensor<float>({2}, {1, 5}));
  const auto b = g.constant(fg::tensor<float>({2}, {4, 2}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::greater(a, b)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 0 1

  try {
    fg::greater(a, g.constant(fg::tensor<float>({3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: incompatible shapes: expected ones that broadcast; found Const float[2], Const_2 float[3]
});

// logical_and
// a: a handle
// b: a handle
// Returns a handle to the results. The shapes of a and b are broadcast.
const shown logical_and_("logical_and", [] {
  fg::graph g;
  const auto a = g.constant(fg::tensor<bool>({2}, {true, true}));
  const auto b = g.constant(fg::tensor<bool>({2}, {true, false}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::logical_and(a, b)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 1 0

  try {
    fg::logical_and(a, g.constant(fg::tensor<bool>({3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: incompatible shapes: expected ones that broadcast; found Const bool[2], Const_2 bool[3]
});

// logical_or
// a: a handle
// b: a handle
// Returns a handle to the results. The shapes of a and b are broadcast.
const shown logical_or_("logical_or", [] {
  fg::graph g;
  const auto a = g.constant(fg::tensor<bool>({2}, {false, false}));
  const auto b = g.constant(fg::tensor<bool>({2}, {true, false}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::logical_or(a, b)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 1 0

  try {
    fg::logical_or(a, g.constant(fg::tensor<bool>({3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: incompatible shapes: expected ones that broadcast; found Const bool[2], Const_2 bool[3]
});

// floor_mod
// x: a handle
// y: a handle, or a scalar
// Returns a handle to the results. The shapes of x and y are broadcast.
const shown floor_mod_("floor_mod", [] {
  fg::graph g;
  const auto a = g.constant(fg::tensor<float>({2}, {7, -7}));
  const auto b = g.constant(fg::tensor<float>({2}, {3, 3}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::floor_mod(a, b)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 1 2

  try {
    fg::floor_mod(a, g.constant(fg::tensor<float>({3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: incompatible shapes: expected ones that broadcast; found Const float[2], Const_2 float[3]
});

// abs
// x: the elements
// Returns a handle to the absolute values, which have the shape of x.
// No error: every number has an absolute value.
const shown abs_("abs", [] {
  fg::graph g;
  const auto y = fg::session(g).run(fg::fetch(fg::abs(g.constant(fg::tensor<float>({2}, {-3, 4})))));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 3 4
});

// complex
// re: the real parts
// im: the imaginary parts, of the shape of the real parts or of one that broadcasts
// Returns a handle to the complex numbers.
const shown complex_("complex", [] {
  fg::graph g;
  const auto re = g.constant(fg::tensor<float>({2}, {1, 2})), im = g.constant(fg::tensor<float>({2}, {3, 4}));
  const auto y = fg::session(g).run(fg::fetch(fg::complex(re, im)));
  std::cout << y[1].real() << " " << y[1].imag() << "\n";
  // prints: 2 4

  try {
    fg::complex(re, g.constant(fg::tensor<float>({3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: incompatible shapes: expected ones that broadcast; found Const float[2], Const_2 float[3]
});

// max
// x: the elements
// axes: an axis, a list of axes, or a handle to them; if omitted, all axes
// keep_dims: whether to keep each reduced axis, with extent 1
// Returns a handle to the largest element along the given axes.
const shown max_("max", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  fg::session s(g);
  std::cout << s.run(fg::fetch(fg::max(x))).scalar() << " " << s.run(fg::fetch(fg::max(x, 0)))[0] << "\n";
  // prints: 6 4

  try {
    fg::max(x, 2);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: a reduction axis must be in [-2, 2), found 2; found Const float[2,3], reduction_indices_2 int32[1]
});

// sum
// x: the elements
// axes: an axis, a list of axes, or a handle to them; if omitted, all axes
// keep_dims: whether to keep each reduced axis, with extent 1
// Returns a handle to the sum over the given axes.
const shown sum_("sum", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  fg::session s(g);
  std::cout << s.run(fg::fetch(fg::sum(x))).scalar() << " " << s.run(fg::fetch(fg::sum(x, 1)))[1] << "\n";
  // prints: 21 15

  try {
    fg::sum(x, 2);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: a reduction axis must be in [-2, 2), found 2; found Const float[2,3], reduction_indices_2 int32[1]
});

// mean
// x: the elements
// axes: an axis, a list of axes, or a handle to them; if omitted, all axes
// keep_dims: whether to keep each reduced axis, with extent 1
// Returns a handle to the mean over the given axes.
const shown mean_("mean", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  fg::session s(g);
  std::cout << s.run(fg::fetch(fg::mean(x))).scalar() << " " << s.run(fg::fetch(fg::mean(x, 1)))[1] << "\n";
  // prints: 3.5 5

  try {
    fg::mean(x, 2);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: a reduction axis must be in [-2, 2), found 2; found Const float[2,3], reduction_indices_2 int32[1]
});

// prod
// x: the elements
// axes: an axis, a list of axes, or a handle to them; if omitted, all axes
// keep_dims: whether to keep each reduced axis, with extent 1
// Returns a handle to the product over the given axes.
const shown prod_("prod", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  fg::session s(g);
  std::cout << s.run(fg::fetch(fg::prod(x))).scalar() << " " << s.run(fg::fetch(fg::prod(x, 1)))[1] << "\n";
  // prints: 720 120

  try {
    fg::prod(x, 2);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: a reduction axis must be in [-2, 2), found 2; found Const float[2,3], reduction_indices_2 int32[1]
});

// min
// x: the elements
// axes: an axis, a list of axes, or a handle to them; if omitted, all axes
// keep_dims: whether to keep each reduced axis, with extent 1
// Returns a handle to the minimum over the given axes.
const shown min_("min", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  fg::session s(g);
  std::cout << s.run(fg::fetch(fg::min(x))).scalar() << " " << s.run(fg::fetch(fg::min(x, 1)))[1] << "\n";
  // prints: 1 4

  try {
    fg::min(x, 2);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: a reduction axis must be in [-2, 2), found 2; found Const float[2,3], reduction_indices_2 int32[1]
});

// argmax
// x: the elements
// axis: the axis to search along
// Returns a handle to the indices of the largest elements. The result does not have the searched axis. If several elements are
// equally large, the first index is returned.
const shown argmax_("argmax", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::argmax(x, 1)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 2 2

  try {
    fg::argmax(x, 2);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: dimension must be in [-2, 2), found 2; found Const float[2,3], ArgMax/dimension_1 int32[]
});

// cumsum
// x: the elements
// axis: the axis to sum along
// exclusive: whether to exclude each element from its own sum
// reverse: whether to sum from the end
// Returns a handle to the running sums, which have the shape of x.
const shown cumsum_("cumsum", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::cumsum(x, 1)));
  std::cout << y[2] << " " << y[5] << "\n";
  // prints: 6 15

  try {
    fg::cumsum(x, 2);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: axis must be in [-2, 2), found 2; found Const float[2,3], Cumsum/axis_1 int32[]
});

// select
// condition: for each element, true to select from a, false to select from b
// a: the elements selected if the condition is true
// b: the elements selected if the condition is false
// Returns a handle to the selected elements.
const shown select_("select", [] {
  fg::graph g;
  const auto c = g.constant(fg::tensor<bool>({2}, {true, false}));
  const auto a = g.constant(fg::tensor<float>({2}, {1, 2})), b = g.constant(fg::tensor<float>({2}, {3, 4}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::select(c, a, b)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 1 4

  try {
    fg::select(c, a, g.constant(fg::tensor<float>({3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: incompatible shapes: expected ones that broadcast; found Const bool[2], Const_1 float[2], Const_3 float[3]
});

// cast
// x: the elements
// Returns a handle to the values converted to type To. Conversion from floating point to integer rounds toward zero.
// No error: every number type can be converted to every other.
const shown cast_("cast", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {1.7f, -1.7f}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::cast<std::int32_t>(x)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 1 -1
});

// segment_sum
// data: the rows to sum
// ids: the segment of each row, in ascending order
// Returns a handle to the sums, one row for each segment.
const shown segment_sum_("segment_sum", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::segment_sum(x, g.constant(fg::tensor<std::int32_t>({2}, {0, 0})))));
  std::cout << y.size() << " " << y[0] << "\n";
  // prints: 3 5

  try {
    fg::segment_sum(x, g.constant(fg::tensor<std::int32_t>({3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: segment_ids must name a segment for each row of data; found Const float[2,3], Const_2 int32[3]
});
