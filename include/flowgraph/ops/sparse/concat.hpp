#pragma once
// Sparse tensors put together along an axis, and cut into parts.
//
//     auto halves = fg::sparse_split(x, 2, 0);
//     auto whole = fg::sparse_concat(halves, 0);

#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/sparse/sparse_tensor.hpp>

#include <array>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Puts sparse tensors together along an axis. The other extents must be equal. The places of the result are in row-major order.
struct sparse_concat_op {
  static constexpr std::string_view name = "SparseConcat";
  using types = all_types;
  static constexpr std::size_t moved_types = 1;
  static constexpr op_facts facts{.not_differentiable = true};
  std::int64_t concat_dim = 0;
  static constexpr auto attrs = flowgraph::attrs(required("concat_dim", &sparse_concat_op::concat_dim));

  shape_list shape(shape_context& c, std::span<const flowgraph::shape> indices, std::span<const flowgraph::shape> values,
                   std::span<const flowgraph::shape> extents) const;
  std::size_t scratch(std::span<const flowgraph::shape> indices, std::span<const flowgraph::shape> values,
                      std::span<const flowgraph::shape> extents) const;
  template <class T>
  void operator()(cpu ctx, view_list<const std::int64_t> indices, view_list<const T> values,
                  view_list<const std::int64_t> extents, view<std::int64_t> new_indices, view<T> new_values,
                  view<std::int64_t> new_extents) const;
};

// Cuts a sparse tensor into num_split parts along an axis. If the extent is not a multiple of num_split, the first parts are one
// row larger.
struct sparse_split_op {
  static constexpr std::string_view name = "SparseSplit";
  using types = all_types;
  static constexpr op_facts facts{.not_differentiable = true};
  std::int64_t num_split = 1;
  static constexpr auto attrs = flowgraph::attrs(required("num_split", &sparse_split_op::num_split));

  std::vector<std::uint32_t> output_sizes() const;
  shape_list shape(shape_context& c, const flowgraph::shape& axis, const flowgraph::shape& indices,
                   const flowgraph::shape& values, const flowgraph::shape& extents) const;
  template <class T>
  void operator()(cpu ctx, view<const std::int64_t> axis, view<const std::int64_t> indices, view<const T> values,
                  view<const std::int64_t> extents, unsized_list<std::int64_t> new_indices, unsized_list<T> new_values,
                  view_list<std::int64_t> new_extents) const;
};

// Puts sparse tensors together along an axis. The other extents must be equal. The places of the result are in row-major order.
template <class T> sparse_tensor<T> sparse_concat(const std::vector<sparse_tensor<T>>& parts, int axis, site s = {}) {
  if (parts.size() == 1) return parts[0];
  out_list<std::int64_t> indices, extents;
  out_list<T> values;
  for (const sparse_tensor<T>& p : parts) {
    indices.push_back(p.indices);
    values.push_back(p.values);
    extents.push_back(p.dense_shape);
  }
  const auto [all, elements, shape] = apply(s, sparse_concat_op{axis}, indices, values, extents);
  return {all, elements, shape};
}
// Cuts a sparse tensor into parts along an axis. If the extent is not a multiple of `count`, the first parts are one row larger.
template <class T> std::vector<sparse_tensor<T>> sparse_split(const sparse_tensor<T>& x, int count, int axis, site s = {}) {
  const auto at = detail::constant_beside(x.indices, tensor<std::int64_t>(static_cast<std::int64_t>(axis)));
  const auto [indices, values, extents] = apply(s, sparse_split_op{count}, at, x.indices, x.values, x.dense_shape);
  std::vector<sparse_tensor<T>> parts;
  for (std::size_t i = 0; i < indices.size(); ++i) parts.push_back({indices[i], values[i], extents[i]});
  return parts;
}

using sparse_concat_ops = type_list<sparse_concat_op, sparse_split_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sparse/detail/concat.hpp>
#endif
