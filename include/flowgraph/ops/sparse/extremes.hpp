#pragma once
// The larger and the smaller elements of two sparse tensors.

#include <flowgraph/ops/sparse/sparse_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

shape_list sparse_pair_shape(shape_context& c, const shape& a_indices, const shape& a_values, const shape& a_extents,
                             const shape& b_indices, const shape& b_values, const shape& b_extents);

}  // namespace detail

// The base of the ops on two sparse tensors of the same shape. The result has the places of both.
template <class Op> struct sparse_extreme {
  using types = real_numbers;
  static constexpr op_facts base_facts{.not_differentiable = true};

  shape_list shape(shape_context& c, const flowgraph::shape& a_indices, const flowgraph::shape& a_values,
                   const flowgraph::shape& a_extents, const flowgraph::shape& b_indices, const flowgraph::shape& b_values,
                   const flowgraph::shape& b_extents) const {
    return detail::sparse_pair_shape(c, a_indices, a_values, a_extents, b_indices, b_values, b_extents);
  }
  template <class T>
  void operator()(cpu ctx, view<const std::int64_t> a_indices, view<const T> a_values, view<const std::int64_t> a_extents,
                  view<const std::int64_t> b_indices, view<const T> b_values, view<const std::int64_t> b_extents,
                  unsized<std::int64_t> new_indices, unsized<T> new_values) const;
};

// Returns the larger element of two sparse tensors at each place of one of them. An element that is not stored counts as 0.
struct sparse_sparse_maximum_op : sparse_extreme<sparse_sparse_maximum_op> {
  static constexpr std::string_view name = "SparseSparseMaximum";
  static constexpr bool takes_larger = true;
};
// Returns the smaller element of two sparse tensors at each place of one of them. An element that is not stored counts as 0.
struct sparse_sparse_minimum_op : sparse_extreme<sparse_sparse_minimum_op> {
  static constexpr std::string_view name = "SparseSparseMinimum";
  static constexpr bool takes_larger = false;
};

// Returns the larger element of two sparse tensors at each place of one of them. An element that is not stored counts as 0. There
// is no gradient.
template <class T> sparse_tensor<T> sparse_maximum(const sparse_tensor<T>& a, const sparse_tensor<T>& b, site s = {}) {
  const auto [indices, values] =
      apply(s, sparse_sparse_maximum_op{}, a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape);
  return {indices, values, a.dense_shape};
}
// Returns the smaller element of two sparse tensors at each place of one of them. An element that is not stored counts as 0.
// There is no gradient.
template <class T> sparse_tensor<T> sparse_minimum(const sparse_tensor<T>& a, const sparse_tensor<T>& b, site s = {}) {
  const auto [indices, values] =
      apply(s, sparse_sparse_minimum_op{}, a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape);
  return {indices, values, a.dense_shape};
}

using sparse_extreme_ops = type_list<sparse_sparse_maximum_op, sparse_sparse_minimum_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sparse/detail/extremes.hpp>
#endif
