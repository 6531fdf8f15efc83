#pragma once
// Sums, products and quotients of a sparse tensor and a dense tensor, element by element. The result has the places of the sparse
// tensor, and the dense tensor is broadcast to its shape.
//
//     auto y = fg::sparse_dense_cwise_mul(x, weights);              // weights[column] for each element of a row

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/gather_nd.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/sparse/sparse_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

shape sparse_dense_shape(shape_context& c, const shape& indices, const shape& values, const shape& extents, const shape& dense);

// The places of a sparse tensor in a dense tensor that is broadcast to its shape. An axis of extent 1 comes first, so that a scalar
// has places, too.
template <class T>
out<std::int64_t> places_in_dense(const out<std::int64_t>& indices, const out<std::int64_t>& extents, const out<T>& dense) {
  const auto number = [&](std::int64_t n) { return scalar_beside(indices, n); };
  const out<std::int64_t> dense_extents = shape_of<std::int64_t>(dense);
  const out<std::int64_t> missing = size_of<std::int64_t>(extents) - size_of<std::int64_t>(dense_extents);
  const out<std::int64_t> begin = pack({number(0), missing}), size = pack({number(-1), number(-1)});
  const out<std::int64_t> at = minimum(slice(indices, begin, size), dense_extents - number(1));
  return concat({slice(indices, {0, 0}, {-1, 1}) * number(0), at}, 1);
}
// Returns the elements of the dense tensor at these places, and a dense tensor of their gradients.
template <class T> out<T> elements_of_dense(const out<T>& dense, const out<std::int64_t>& at) {
  return gather_nd(expand_dims(dense, 0), at);
}
template <class T> out<T> gradient_of_dense(const out<T>& dense, const out<std::int64_t>& at, const out<T>& slopes) {
  return squeeze(scatter_nd(at, slopes, shape_of<std::int64_t>(expand_dims(dense, 0))), {0});
}

}  // namespace detail

// The base of the element-wise ops. F computes an element of the result.
template <class Op> struct sparse_dense_elementwise {
  using types = real_numbers;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& indices, const flowgraph::shape& values,
                         const flowgraph::shape& extents, const flowgraph::shape& dense) const {
    return detail::sparse_dense_shape(c, indices, values, extents, dense);
  }
  template <class T>
  void operator()(cpu ctx, view<const std::int64_t> indices, view<const T> values, view<const std::int64_t> extents,
                  view<const T> dense, view<T> y) const;
};

// Adds to each element of a sparse tensor the element of a dense tensor at the same place. The dense tensor is broadcast.
struct sparse_dense_cwise_add_op : sparse_dense_elementwise<sparse_dense_cwise_add_op> {
  static constexpr std::string_view name = "SparseDenseCwiseAdd";
  static constexpr bool refuses_zeros = false;
  template <class N> static N compute(const N& a, const N& b) { return a + b; }
  template <class T>
  gradients_of<T, 4> gradient(out<std::int64_t> indices, out<T>, out<std::int64_t> extents, out<T> dense, out<T>,
                              out<T> dy) const {
    const out<std::int64_t> at = detail::places_in_dense(indices, extents, dense);
    return {{none, dy, none, detail::gradient_of_dense(dense, at, dy)}};
  }
};
// Multiplies each element of a sparse tensor by the element of a dense tensor at the same place. The dense tensor is broadcast.
struct sparse_dense_cwise_mul_op : sparse_dense_elementwise<sparse_dense_cwise_mul_op> {
  static constexpr std::string_view name = "SparseDenseCwiseMul";
  static constexpr bool refuses_zeros = false;
  template <class N> static N compute(const N& a, const N& b) { return a * b; }
  template <class T>
  gradients_of<T, 4> gradient(out<std::int64_t> indices, out<T> values, out<std::int64_t> extents, out<T> dense, out<T>,
                              out<T> dy) const {
    const out<std::int64_t> at = detail::places_in_dense(indices, extents, dense);
    return {{none, dy * detail::elements_of_dense(dense, at), none, detail::gradient_of_dense(dense, at, out<T>(dy * values))}};
  }
};
// Divides each element of a sparse tensor by the element of a dense tensor at the same place, which must not be zero. The dense
// tensor is broadcast.
struct sparse_dense_cwise_div_op : sparse_dense_elementwise<sparse_dense_cwise_div_op> {
  static constexpr std::string_view name = "SparseDenseCwiseDiv";
  static constexpr bool refuses_zeros = true;
  template <class N> static N compute(const N& a, const N& b) { return a / b; }
  template <class T>
  gradients_of<T, 4> gradient(out<std::int64_t> indices, out<T>, out<std::int64_t> extents, out<T> dense, out<T> y,
                              out<T> dy) const {
    const out<std::int64_t> at = detail::places_in_dense(indices, extents, dense);
    const out<T> slopes = dy / detail::elements_of_dense(dense, at);
    return {{none, slopes, none, detail::gradient_of_dense(dense, at, negative(slopes * y))}};
  }
};

// Adds to each element of a sparse tensor the element of a dense tensor at the same place. The dense tensor is broadcast.
template <class T>
sparse_tensor<T> sparse_dense_cwise_add(const sparse_tensor<T>& x, const std::type_identity_t<out<T>>& dense, site s = {}) {
  return x.with_values(out<T>(apply(sparse_dense_cwise_add_op{}, x.indices, x.values, x.dense_shape, dense, s)));
}
// Multiplies each element of a sparse tensor by the element of a dense tensor at the same place. The dense tensor is broadcast.
template <class T>
sparse_tensor<T> sparse_dense_cwise_mul(const sparse_tensor<T>& x, const std::type_identity_t<out<T>>& dense, site s = {}) {
  return x.with_values(out<T>(apply(sparse_dense_cwise_mul_op{}, x.indices, x.values, x.dense_shape, dense, s)));
}
// Divides each element of a sparse tensor by the element of a dense tensor at the same place. The dense tensor is broadcast.
template <class T>
sparse_tensor<T> sparse_dense_cwise_div(const sparse_tensor<T>& x, const std::type_identity_t<out<T>>& dense, site s = {}) {
  return x.with_values(out<T>(apply(sparse_dense_cwise_div_op{}, x.indices, x.values, x.dense_shape, dense, s)));
}

using sparse_elementwise_ops = type_list<sparse_dense_cwise_add_op, sparse_dense_cwise_mul_op, sparse_dense_cwise_div_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sparse/detail/elementwise.hpp>
#endif
