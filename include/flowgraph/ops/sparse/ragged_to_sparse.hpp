#pragma once
// Ragged tensors as sparse tensors.
//
//     auto x = fg::ragged_to_sparse(rows);                          // for example for embedding_lookup_sparse

#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/sparse/ragged_tensor.hpp>
#include <flowgraph/ops/sparse/sparse_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Makes a sparse tensor of a ragged tensor. Each element keeps its position in its row, and the places are in row-major order.
// The extent of a ragged axis is the length of its longest row.
struct ragged_tensor_to_sparse_op {
  static constexpr std::string_view name = "RaggedTensorToSparse";
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"Tsplits", index_types>>;
  static constexpr std::size_t moved_types = 1;

  shape_list shape(shape_context& c, std::span<const flowgraph::shape> splits, const flowgraph::shape& values) const;
  template <class T, class I>
  void operator()(cpu ctx, view_list<const I> splits, view<const T> values, view<std::int64_t> indices, view<T> elements,
                  view<std::int64_t> extents) const;
  template <class T, class I>
  gradient_list gradient(const out_list<I>& splits, out<T> values, out<std::int64_t>, out<T>, out<std::int64_t>,
                         out<std::int64_t>, out<T> delements, out<std::int64_t>) const {
    gradient_list all(splits.size(), none);
    all.push_back(reshape(delements, shape_of<std::int64_t>(values)));
    return all;
  }
};

// Makes a sparse tensor of a ragged tensor. Each element keeps its position in its row.
template <class T, class I> sparse_tensor<T> ragged_to_sparse(const ragged_tensor<T, I>& x, site s = {}) {
  const auto [indices, values, extents] = apply(s, ragged_tensor_to_sparse_op{}, x.row_splits, x.values);
  return {indices, values, extents};
}

using ragged_to_sparse_ops = type_list<ragged_tensor_to_sparse_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sparse/detail/ragged_to_sparse.hpp>
#endif
