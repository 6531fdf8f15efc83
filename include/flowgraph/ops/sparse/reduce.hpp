#pragma once
// Sums and maxima of sparse tensors along some axes. Elements that are not stored are left out.
//
//     auto totals = fg::sparse_reduce_sum(x, {1});                  // dense: the sum of each row
//     auto largest = fg::sparse_reduce_max_sparse(x, {1});          // sparse: only rows with elements

#include <flowgraph/ops/array/gather_nd.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/sparse/to_dense.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

shape sparse_reduced_shape(shape_context& c, const shape& indices, const shape& values, const shape& extents, const shape& axes,
                           bool keep_dims);
shape_list sparse_reduced_parts(shape_context& c, const shape& indices, const shape& values, const shape& extents,
                                const shape& axes, bool keep_dims);
std::size_t sparse_reduction_scratch(const shape& indices, const shape& extents);

}  // namespace detail

// The base of the reductions of sparse tensors. Axes may be negative, and may be repeated.
template <class Op> struct sparse_reduction {
  static constexpr auto host_inputs = flowgraph::host_inputs(2, 3);
  bool keep_dims = false;
  static constexpr auto attrs = flowgraph::attrs(attr("keep_dims", &sparse_reduction::keep_dims));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& indices, const flowgraph::shape& values,
                         const flowgraph::shape& extents, const flowgraph::shape& axes) const {
    return detail::sparse_reduced_shape(c, indices, values, extents, axes, keep_dims);
  }
  std::size_t scratch(const flowgraph::shape& indices, const flowgraph::shape&, const flowgraph::shape& extents,
                      const flowgraph::shape&) const {
    return detail::sparse_reduction_scratch(indices, extents);
  }
  template <class T>
  void operator()(cpu ctx, view<const std::int64_t> indices, view<const T> values, view<const std::int64_t> extents,
                  view<const std::int32_t> axes, view<T> y) const;
};
// The base of the reductions whose result is sparse.
template <class Op> struct sparse_reduction_to_sparse {
  static constexpr auto host_inputs = flowgraph::host_inputs(3);
  static constexpr op_facts base_facts{.not_differentiable = true};
  bool keep_dims = false;
  static constexpr auto attrs = flowgraph::attrs(attr("keep_dims", &sparse_reduction_to_sparse::keep_dims));

  shape_list shape(shape_context& c, const flowgraph::shape& indices, const flowgraph::shape& values,
                   const flowgraph::shape& extents, const flowgraph::shape& axes) const {
    return detail::sparse_reduced_parts(c, indices, values, extents, axes, keep_dims);
  }
  std::size_t scratch(const flowgraph::shape& indices, const flowgraph::shape&, const flowgraph::shape& extents,
                      const flowgraph::shape&) const {
    return detail::sparse_reduction_scratch(indices, extents);
  }
  template <class T>
  void operator()(cpu ctx, view<const std::int64_t> indices, view<const T> values, view<const std::int64_t> extents,
                  view<const std::int32_t> axes, unsized<std::int64_t> new_indices, unsized<T> new_values,
                  unsized<std::int64_t> new_extents) const;
};

// Returns the sums of the stored elements along the axes. The result is dense; sums of no elements are 0.
struct sparse_reduce_sum_op : sparse_reduction<sparse_reduce_sum_op> {
  static constexpr std::string_view name = "SparseReduceSum";
  using types = numbers;
  static constexpr bool takes_largest = false;
  template <class T>
  gradients_of<T, 4> gradient(out<std::int64_t> indices, out<T>, out<std::int64_t> extents, out<std::int32_t> axes, out<T>,
                              out<T> dy) const;
};
// Returns the maxima of the stored elements along the axes. The result is dense; maxima of no elements are 0.
struct sparse_reduce_max_op : sparse_reduction<sparse_reduce_max_op> {
  static constexpr std::string_view name = "SparseReduceMax";
  using types = real_numbers;
  static constexpr op_facts facts{.not_differentiable = true};
  static constexpr bool takes_largest = true;
};
// Returns the sums of the stored elements along the axes as a sparse tensor.
struct sparse_reduce_sum_sparse_op : sparse_reduction_to_sparse<sparse_reduce_sum_sparse_op> {
  static constexpr std::string_view name = "SparseReduceSumSparse";
  using types = numbers;
  static constexpr bool takes_largest = false;
};
// Returns the maxima of the stored elements along the axes as a sparse tensor.
struct sparse_reduce_max_sparse_op : sparse_reduction_to_sparse<sparse_reduce_max_sparse_op> {
  static constexpr std::string_view name = "SparseReduceMaxSparse";
  using types = real_numbers;
  static constexpr bool takes_largest = true;
};

namespace detail {

template <class T> out<std::int32_t> reduction_axes_beside(const sparse_tensor<T>& x, std::initializer_list<std::int32_t> axes) {
  return constant_beside(x.indices, tensor<std::int32_t>({axes.size()}, axes));
}

}  // namespace detail

// Returns the sums of the stored elements along the axes as a dense tensor. Negative axes count from the last.
template <class T>
out<T> sparse_reduce_sum(const sparse_tensor<T>& x, std::initializer_list<std::int32_t> axes, bool keep_dims = false,
                         site s = {}) {
  return apply(s, sparse_reduce_sum_op{{keep_dims}}, x.indices, x.values, x.dense_shape, detail::reduction_axes_beside(x, axes));
}
// Returns the maxima of the stored elements along the axes as a dense tensor. Maxima of no elements are 0.
template <class T>
out<T> sparse_reduce_max(const sparse_tensor<T>& x, std::initializer_list<std::int32_t> axes, bool keep_dims = false,
                         site s = {}) {
  return apply(s, sparse_reduce_max_op{{keep_dims}}, x.indices, x.values, x.dense_shape, detail::reduction_axes_beside(x, axes));
}
// Returns the sums of the stored elements along the axes as a sparse tensor.
template <class T>
sparse_tensor<T> sparse_reduce_sum_sparse(const sparse_tensor<T>& x, std::initializer_list<std::int32_t> axes,
                                          bool keep_dims = false, site s = {}) {
  const auto [indices, values, extents] = apply(s, sparse_reduce_sum_sparse_op{{keep_dims}}, x.indices, x.values, x.dense_shape,
                                                detail::reduction_axes_beside(x, axes));
  return {indices, values, extents};
}
// Returns the maxima of the stored elements along the axes as a sparse tensor.
template <class T>
sparse_tensor<T> sparse_reduce_max_sparse(const sparse_tensor<T>& x, std::initializer_list<std::int32_t> axes,
                                          bool keep_dims = false, site s = {}) {
  const auto [indices, values, extents] = apply(s, sparse_reduce_max_sparse_op{{keep_dims}}, x.indices, x.values, x.dense_shape,
                                                detail::reduction_axes_beside(x, axes));
  return {indices, values, extents};
}

using sparse_reduce_ops =
    type_list<sparse_reduce_sum_op, sparse_reduce_max_op, sparse_reduce_sum_sparse_op, sparse_reduce_max_sparse_op>;

template <class T>
gradients_of<T, 4> sparse_reduce_sum_op::gradient(out<std::int64_t> indices, out<T>, out<std::int64_t> extents,
                                                  out<std::int32_t> axes, out<T>, out<T> dy) const {
  const auto number = [&](std::int64_t n) { return detail::scalar_beside(indices, n); };
  // 1 for each reduced axis, else 0: along reduced axes, the result has the extent 1 and the index 0.
  const out<std::int64_t> rank = size_of<std::int64_t>(extents), wide = cast<std::int64_t>(axes);
  const out<std::int64_t> from_first = select(less(wide, number(0)), wide + rank, wide);
  const out<std::int64_t> is_reduced =
      apply(site{}, sparse_to_dense_op{false}, reshape(from_first, {-1}), reshape(rank, {1}), number(1), number(0));
  const out<std::int64_t> is_kept = number(1) - is_reduced;
  const out<T> kept = reshape(dy, extents * is_kept + is_reduced);
  return {{none, gather_nd(kept, indices * is_kept), none, none}};
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sparse/detail/reduce.hpp>
#endif
