#pragma once
// Counts of the integers in the rows of ragged and sparse tensors, in a dense tensor.
//
//     auto counts = fg::ragged_bincount(rows, size, weights);       // row i: how often each integer occurs in row i of rows

#include <flowgraph/ops/sparse/ragged_tensor.hpp>
#include <flowgraph/ops/sparse/sparse_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Counts how often each integer from 0 to size - 1 occurs in each row of a ragged tensor. If there are weights, the weights of
// the values are added up instead; if `binary_output` is set, the result is 1 for each integer that occurs. Larger integers are
// ignored, and negative integers are an error.
struct ragged_bincount_op {
  static constexpr std::string_view name = "RaggedBincount";
  using types = type_attrs<type_attr<"Tidx", index_types>, type_attr<"T", type_list<std::int32_t, std::int64_t, float, double>>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(2);
  static constexpr op_facts facts{.not_differentiable = true};
  bool binary_output = false;
  static constexpr auto attrs = flowgraph::attrs(attr("binary_output", &ragged_bincount_op::binary_output));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& splits, const flowgraph::shape& values,
                         const flowgraph::shape& size, const flowgraph::shape& weights) const;
  template <class I, class T>
  void operator()(cpu ctx, view<const std::int64_t> splits, view<const I> values, view<const I> size, view<const T> weights,
                  view<T> y) const;
};

// Counts how often each integer from 0 to size - 1 occurs in a sparse vector, or in each row of a sparse tensor. If there are
// weights, the weights of the values are added up instead; if `binary_output` is set, the result is 1 for each integer that
// occurs. Larger integers are ignored, and negative integers are an error.
struct sparse_bincount_op {
  static constexpr std::string_view name = "SparseBincount";
  using types = type_attrs<type_attr<"Tidx", index_types>, type_attr<"T", type_list<std::int32_t, std::int64_t, float, double>>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(2, 3);
  static constexpr op_facts facts{.not_differentiable = true};
  bool binary_output = false;
  static constexpr auto attrs = flowgraph::attrs(attr("binary_output", &sparse_bincount_op::binary_output));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& indices, const flowgraph::shape& values,
                         const flowgraph::shape& extents, const flowgraph::shape& size, const flowgraph::shape& weights) const;
  template <class I, class T>
  void operator()(cpu ctx, view<const std::int64_t> indices, view<const I> values, view<const std::int64_t> extents,
                  view<const I> size, view<const T> weights, view<T> y) const;
};

// Counts how often each integer from 0 to size - 1 occurs in each row, or adds up the weights of the values. An empty tensor of
// weights counts each value once.
template <class I, class T>
out<T> ragged_bincount(const ragged_tensor<I>& x, const std::type_identity_t<out<I>>& size, const out<T>& weights, site s = {}) {
  return apply(s, ragged_bincount_op{}, x.row_splits.empty() ? out<std::int64_t>() : x.row_splits.back(), x.values, size,
               weights);
}
// Counts how often each integer from 0 to size - 1 occurs in a sparse vector, or in each row of a sparse tensor, or adds up the
// weights of the values. An empty tensor of weights counts each value once.
template <class I, class T>
out<T> sparse_bincount(const sparse_tensor<I>& x, const std::type_identity_t<out<I>>& size, const out<T>& weights, site s = {}) {
  return apply(s, sparse_bincount_op{}, x.indices, x.values, x.dense_shape, size, weights);
}

using sparse_bincount_ops = type_list<ragged_bincount_op, sparse_bincount_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sparse/detail/bincount.hpp>
#endif
