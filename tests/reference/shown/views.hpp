// Full entries of the reference: core/view.hpp.

// view::data
// Returns the address of the first element. The elements are in row-major order.
// No error: reading a view cannot fail.
const shown of_view_data("view::data", [] {
  const fg::tensor<float> t({2, 3}, {1, 2, 3, 4, 5, 6});
  const fg::view<const float> v = t;
  std::cout << v.data()[1] << "\n";
  // prints: 2
});

// view::size
// Returns the number of elements.
// No error: reading a view cannot fail.
const shown of_view_size("view::size", [] {
  const fg::tensor<float> t({2, 3}, {1, 2, 3, 4, 5, 6});
  const fg::view<const float> v = t;
  std::cout << v.size() << "\n";
  // prints: 6
});

// view::shape
// Returns the extents, one per axis.
// No error: reading a view cannot fail.
const shown of_view_shape("view::shape", [] {
  const fg::tensor<float> t({2, 3}, {1, 2, 3, 4, 5, 6});
  const fg::view<const float> v = t;
  std::cout << fg::to_string(v.shape()) << "\n";
  // prints: [2,3]
});

// view::rank
// Returns the number of axes.
// No error: reading a view cannot fail.
const shown of_view_rank("view::rank", [] {
  const fg::tensor<float> t({2, 3}, {1, 2, 3, 4, 5, 6});
  const fg::view<const float> v = t;
  std::cout << v.rank() << "\n";
  // prints: 2
});

// view::dim
// axis: the index of the axis, from 0
// Returns the extent of that axis.
// No error: reading a view cannot fail.
const shown of_view_dim("view::dim", [] {
  const fg::tensor<float> t({2, 3}, {1, 2, 3, 4, 5, 6});
  const fg::view<const float> v = t;
  std::cout << v.dim(1) << "\n";
  // prints: 3
});

// view::operator[]
// Reads or writes one element in row-major order.
// i: the index of the element, less than size(); this is not checked
// Returns the element.
// No error: reading a view cannot fail.
const shown of_view_at("view::operator[]", [] {
  const fg::tensor<float> t({2, 3}, {1, 2, 3, 4, 5, 6});
  const fg::view<const float> v = t;
  std::cout << v[4] << "\n";
  // prints: 5
});

// view::begin
// Returns an iterator to the first element, for loops and algorithms.
// No error: reading a view cannot fail.
const shown of_view_begin("view::begin", [] {
  const fg::tensor<float> t({2, 3}, {1, 2, 3, 4, 5, 6});
  const fg::view<const float> v = t;
  std::cout << *v.begin() << "\n";
  // prints: 1
});

// view::end
// Returns an iterator past the last element.
// No error: reading a view cannot fail.
const shown of_view_end("view::end", [] {
  const fg::tensor<float> t({2, 3}, {1, 2, 3, 4, 5, 6});
  const fg::view<const float> v = t;
  std::cout << v.end() - v.begin() << "\n";
  // prints: 6
});

// view::span
// Returns the elements as a std::span.
// No error: reading a view cannot fail.
const shown of_view_span("view::span", [] {
  const fg::tensor<float> t({2, 3}, {1, 2, 3, 4, 5, 6});
  const fg::view<const float> v = t;
  std::cout << v.span().back() << "\n";
  // prints: 6
});

// view::scalar
// Returns the first element, which is the only element of a scalar.
// No error: the view must contain an element.
const shown of_view_scalar("view::scalar", [] {
  const fg::tensor<float> t(7.f);
  const fg::view<const float> v = t;
  std::cout << v.scalar() << "\n";
  // prints: 7
});
