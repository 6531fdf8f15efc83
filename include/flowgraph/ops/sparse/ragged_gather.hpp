#pragma once
// Rows of ragged tensors selected by index.
//
//     auto some = fg::ragged_gather(rows, ids);                     // row i of the result is the row ids[i] of rows

#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/sparse/ragged_range.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Selects rows of a ragged tensor by index. The result has the axes of the indices in place of the first axis of the ragged
// tensor. OUTPUT_RAGGED_RANK is the number of splits of the result: the rank of the indices plus the number of splits, minus 1.
struct ragged_gather_op {
  static constexpr std::string_view name = "RaggedGather";
  using types =
      type_attrs<type_attr<"Tvalues", all_types>, type_attr<"Tindices", index_types>, type_attr<"Tsplits", index_types>>;
  std::int64_t output_ragged_rank = 1;
  static constexpr auto attrs = flowgraph::attrs(required("OUTPUT_RAGGED_RANK", &ragged_gather_op::output_ragged_rank));

  std::vector<std::uint32_t> output_sizes() const;
  shape_list shape(shape_context& c, std::span<const flowgraph::shape> splits, const flowgraph::shape& values,
                   const flowgraph::shape& indices) const;
  template <class T, class N, class I>
  void operator()(cpu ctx, view_list<const I> splits, view<const T> values, index_view<N> indices, unsized_list<I> new_splits,
                  unsized<T> new_values) const;
  template <class T, class N, class I>
  gradient_list gradient(const out_list<I>& splits, out<T> values, out<N> indices, const out_list<I>&, out<T>, const out_list<I>&,
                         out<T> dvalues) const {
    // For each row, the position of its first value.
    out<I> begins = splits[0];
    for (std::size_t i = 1; i < splits.size(); ++i) begins = gather(splits[i], begins);
    const out<N> rows = reshape(indices, {-1});
    const auto one = detail::constant_beside(begins, tensor<I>(I(1)));
    const out<I> moved = ragged_range(gather(begins, rows), gather(begins, rows + N(1)), one).values;
    gradient_list all(splits.size() + 2, none);
    all[splits.size()] = detail::gathered_slices(dvalues, values, moved);
    return all;
  }
};

// Selects rows of a ragged tensor by index. If the rank of the indices is not known, they must be a vector.
template <class T, class I, class N>
ragged_tensor<T, I> ragged_gather(const ragged_tensor<T, I>& x, const out<N>& indices, site s = {}) {
  const std::int64_t added = indices.shape().has_rank() ? indices.shape().rank - 1 : 0;
  const ragged_gather_op op{static_cast<std::int64_t>(x.row_splits.size()) + added};
  const auto [splits, values] = apply(s, op, x.row_splits, x.values, indices);
  return {splits, values};
}

using ragged_gather_ops = type_list<ragged_gather_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sparse/detail/ragged_gather.hpp>
#endif
