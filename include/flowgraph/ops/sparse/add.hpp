#pragma once
// Sums of sparse tensors, and of a sparse and a dense tensor.
//
//     auto c = fg::sparse_add(a, b);                                // sparse
//     auto d = fg::sparse_tensor_dense_add(a, y);                   // dense

#include <flowgraph/ops/array/gather_nd.hpp>
#include <flowgraph/ops/sparse/sparse_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

using sparse_sum_types = type_list<std::int8_t, std::int16_t, std::int32_t, std::int64_t, float, double, complex64, complex128>;
using sparse_threshold_types = type_list<std::int8_t, std::int16_t, std::int32_t, std::int64_t, float, double>;

template <class T> struct threshold_of {
  using type = T;
};
template <class T> struct threshold_of<std::complex<T>> {
  using type = T;
};

}  // namespace detail

// Returns the gradients of the values of both summands of a SparseAdd. The gradient of an element that the sum leaves out is 0.
struct sparse_add_grad_op {
  static constexpr std::string_view name = "SparseAddGrad";
  using types = detail::sparse_sum_types;
  static constexpr op_facts facts{.not_differentiable = true};

  shape_list shape(shape_context& c, const flowgraph::shape& slopes, const flowgraph::shape& a, const flowgraph::shape& b,
                   const flowgraph::shape& sum) const;
  template <class T>
  void operator()(cpu ctx, view<const T> slopes, view<const std::int64_t> a, view<const std::int64_t> b,
                  view<const std::int64_t> sum, view<T> da, view<T> db) const;
};

// Adds two sparse tensors of the same shape. Elements of the sum whose absolute value is below the threshold are left out if
// both tensors have the place.
struct sparse_add_op {
  static constexpr std::string_view name = "SparseAdd";
  using types = type_attrs<type_attr<"T", detail::sparse_sum_types>, type_attr<"Treal", detail::sparse_threshold_types>>;

  shape_list shape(shape_context& c, const flowgraph::shape& a_indices, const flowgraph::shape& a_values,
                   const flowgraph::shape& a_extents, const flowgraph::shape& b_indices, const flowgraph::shape& b_values,
                   const flowgraph::shape& b_extents, const flowgraph::shape& threshold) const;
  template <class T, class R>
  void operator()(cpu ctx, view<const std::int64_t> a_indices, view<const T> a_values, view<const std::int64_t> a_extents,
                  view<const std::int64_t> b_indices, view<const T> b_values, view<const std::int64_t> b_extents,
                  view<const R> threshold, unsized<std::int64_t> sum_indices, unsized<T> sum_values,
                  view<std::int64_t> sum_extents) const;
  template <class T, class R>
  gradients_of<T, 7> gradient(out<std::int64_t> a, out<T>, out<std::int64_t>, out<std::int64_t> b, out<T>, out<std::int64_t>,
                              out<R>, out<std::int64_t> sum, out<T>, out<std::int64_t>, out<std::int64_t>, out<T> dvalues,
                              out<std::int64_t>) const {
    const auto [da, db] = apply(sparse_add_grad_op{}, dvalues, a, b, sum);
    return {{none, da, none, none, db, none, none}};
  }
};

// Adds a sparse tensor to a dense tensor of the same shape. The values of a repeated place are added.
struct sparse_tensor_dense_add_op {
  static constexpr std::string_view name = "SparseTensorDenseAdd";
  using types = type_attrs<type_attr<"T", numbers>, type_attr<"Tindices", index_types>>;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& indices, const flowgraph::shape& values,
                         const flowgraph::shape& extents, const flowgraph::shape& b) const;
  template <class T, class I>
  void operator()(cpu ctx, index_view<I> indices, view<const T> values, index_view<I> extents, view<const T> b, view<T> y) const;
  template <class T, class I> gradients_of<T, 4> gradient(out<I> indices, out<T>, out<I>, out<T>, out<T>, out<T> dy) const {
    return {{none, gather_nd(dy, indices), none, dy}};
  }
};

// Adds two sparse tensors of the same shape. Elements of the sum whose absolute value is below the threshold are left out if
// both tensors have the place. The places must be in row-major order.
template <class T>
sparse_tensor<T> sparse_add(const sparse_tensor<T>& a, const sparse_tensor<T>& b,
                            typename detail::threshold_of<T>::type threshold = {}, site s = {}) {
  using real = typename detail::threshold_of<T>::type;
  const auto [indices, values, extents] = apply(s, sparse_add_op{}, a.indices, a.values, a.dense_shape, b.indices, b.values,
                                                b.dense_shape, detail::constant_beside(a.indices, tensor<real>(threshold)));
  return {indices, values, extents};
}
// Adds a sparse tensor to a dense tensor of the same shape. The values of a repeated place are added.
template <class T> out<T> sparse_tensor_dense_add(const sparse_tensor<T>& a, const std::type_identity_t<out<T>>& b, site s = {}) {
  return apply(sparse_tensor_dense_add_op{}, a.indices, a.values, a.dense_shape, b, s);
}

using sparse_add_ops = type_list<sparse_add_grad_op, sparse_add_op, sparse_tensor_dense_add_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sparse/detail/add.hpp>
#endif
