#pragma once
// The elements of a sparse tensor in row-major order.
//
//     auto y = fg::sparse_to_dense(fg::sparse_reorder(x));

#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/array/transpose.hpp>
#include <flowgraph/ops/sparse/sparse_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Puts the elements of a sparse tensor in row-major order. Elements of the same place remain in their order.
struct sparse_reorder_op {
  static constexpr std::string_view name = "SparseReorder";
  using types = all_types;
  static constexpr std::size_t moved_types = 1;

  shape_list shape(shape_context& c, const flowgraph::shape& indices, const flowgraph::shape& values,
                   const flowgraph::shape& extents) const;
  std::size_t scratch(const flowgraph::shape& indices, const flowgraph::shape&, const flowgraph::shape&) const {
    return static_cast<std::size_t>(indices[0]) * sizeof(std::int64_t);
  }
  template <class T>
  void operator()(cpu ctx, view<const std::int64_t> indices, view<const T> values, view<const std::int64_t> extents,
                  view<std::int64_t> ordered_indices, view<T> ordered_values) const;
  template <class T>
  gradients_of<T, 3> gradient(out<std::int64_t> indices, out<T> values, out<std::int64_t> extents, out<std::int64_t>, out<T>,
                              out<std::int64_t>, out<T> dvalues) const;
};

// Puts the elements of a sparse tensor in row-major order. Elements of the same place remain in their order.
template <class T> sparse_tensor<T> sparse_reorder(const sparse_tensor<T>& x, site s = {}) {
  const auto [indices, values] = apply(sparse_reorder_op{}, x.indices, x.values, x.dense_shape, s);
  return {indices, values, x.dense_shape};
}

using sparse_reorder_ops = type_list<sparse_reorder_op>;

template <class T>
gradients_of<T, 3> sparse_reorder_op::gradient(out<std::int64_t> indices, out<T> values, out<std::int64_t> extents,
                                               out<std::int64_t>, out<T>, out<std::int64_t>, out<T> dvalues) const {
  const auto number = [&](std::int32_t n) { return detail::scalar_beside(indices, n); };
  const out<std::int32_t> positions = range(number(0), size_of(values), number(1));
  const auto [ordered, order] = apply(sparse_reorder_op{}, indices, positions, extents);
  return {{none, gather(dvalues, invert_permutation(order)), none}};
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sparse/detail/reorder.hpp>
#endif
