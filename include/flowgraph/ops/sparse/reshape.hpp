#pragma once
// Sparse tensors with other extents.
//
//     auto flat = fg::sparse_reshape(x, {-1});

#include <flowgraph/ops/sparse/sparse_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Computes the places of the elements of a sparse tensor for other extents. The order of the elements does not change. One extent
// may be -1: it is computed from the others.
struct sparse_reshape_op {
  static constexpr std::string_view name = "SparseReshape";
  static constexpr op_facts facts{.not_differentiable = true};

  shape_list shape(shape_context& c, const flowgraph::shape& indices, const flowgraph::shape& extents,
                   const flowgraph::shape& wanted) const;
  void operator()(cpu ctx, view<const std::int64_t> indices, view<const std::int64_t> extents, view<const std::int64_t> wanted,
                  view<std::int64_t> new_indices, view<std::int64_t> new_extents) const;
};

// Changes the extents of a sparse tensor. One extent of `wanted` may be -1: it is computed from the others.
template <class T> sparse_tensor<T> sparse_reshape(const sparse_tensor<T>& x, const out<std::int64_t>& wanted, site s = {}) {
  const auto [indices, extents] = apply(sparse_reshape_op{}, x.indices, x.dense_shape, wanted, s);
  return {indices, x.values, extents};
}
template <class T>
sparse_tensor<T> sparse_reshape(const sparse_tensor<T>& x, std::initializer_list<std::int64_t> wanted, site s = {}) {
  return sparse_reshape(x, detail::constant_beside(x.indices, tensor<std::int64_t>({wanted.size()}, wanted)), s);
}

using sparse_reshape_ops = type_list<sparse_reshape_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sparse/detail/reshape.hpp>
#endif
