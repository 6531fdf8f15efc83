#pragma once
// Counts of the integers in the rows of a tensor, as a sparse tensor.
//
//     auto counts = fg::sparse_counts(ids, weights);                // row i has an element for each integer in row i of ids

#include <flowgraph/ops/sparse/ragged_tensor.hpp>
#include <flowgraph/ops/sparse/sparse_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

using count_types =
    type_attrs<type_attr<"T", index_types>, type_attr<"output_type", type_list<std::int32_t, std::int64_t, float, double>>>;

// Integers of at least maxlength are ignored. The last extent is maxlength, or, if that is -1, at least minlength.
struct count_attributes {
  bool binary_output = false;  // true: the result is 1 for each integer that occurs
  std::int64_t minlength = -1, maxlength = -1;
  static constexpr auto attrs =
      flowgraph::attrs(attr("minlength", &count_attributes::minlength), attr("maxlength", &count_attributes::maxlength),
                       required("binary_output", &count_attributes::binary_output));
};

// Counts how often each integer occurs in a vector, or in each row of a matrix, as a sparse tensor. If there are weights, the
// weights of the values are added up instead; if `binary_output` is set, the result is 1 for each integer that occurs. Integers
// of at least maxlength are ignored. The last extent is maxlength, or, if that is -1, at least minlength.
struct dense_count_sparse_output_op : count_attributes {
  static constexpr std::string_view name = "DenseCountSparseOutput";
  using types = count_types;
  static constexpr op_facts facts{.not_differentiable = true};

  shape_list shape(shape_context& c, const flowgraph::shape& values, const flowgraph::shape& weights) const;
  std::size_t scratch(const flowgraph::shape& values, const flowgraph::shape&) const;
  template <class I, class T>
  void operator()(cpu ctx, view<const I> values, view<const T> weights, unsized<std::int64_t> indices, unsized<T> counts,
                  view<std::int64_t> extents) const;
};

// Counts how often each integer occurs in a sparse vector, or in each row of a sparse tensor, as a sparse tensor. The attributes
// are those of DenseCountSparseOutput.
struct sparse_count_sparse_output_op : count_attributes {
  static constexpr std::string_view name = "SparseCountSparseOutput";
  using types = count_types;
  static constexpr op_facts facts{.not_differentiable = true};

  shape_list shape(shape_context& c, const flowgraph::shape& indices, const flowgraph::shape& values,
                   const flowgraph::shape& extents, const flowgraph::shape& weights) const;
  std::size_t scratch(const flowgraph::shape&, const flowgraph::shape& values, const flowgraph::shape&,
                      const flowgraph::shape&) const;
  template <class I, class T>
  void operator()(cpu ctx, view<const std::int64_t> indices, view<const I> values, view<const std::int64_t> extents,
                  view<const T> weights, unsized<std::int64_t> new_indices, unsized<T> counts,
                  view<std::int64_t> new_extents) const;
};

// Counts how often each integer occurs in each row of a ragged tensor, as a sparse tensor. The attributes are those of
// DenseCountSparseOutput.
struct ragged_count_sparse_output_op : count_attributes {
  static constexpr std::string_view name = "RaggedCountSparseOutput";
  using types = count_types;
  static constexpr op_facts facts{.not_differentiable = true};

  shape_list shape(shape_context& c, const flowgraph::shape& splits, const flowgraph::shape& values,
                   const flowgraph::shape& weights) const;
  std::size_t scratch(const flowgraph::shape&, const flowgraph::shape& values, const flowgraph::shape&) const;
  template <class I, class T>
  void operator()(cpu ctx, view<const std::int64_t> splits, view<const I> values, view<const T> weights,
                  unsized<std::int64_t> indices, unsized<T> counts, view<std::int64_t> extents) const;
};

// The options of `sparse_counts`.
struct count_options {
  bool binary_output = false;   // 1 for each integer that occurs
  std::int64_t minlength = -1;  // the last extent is at least this number
  std::int64_t maxlength = -1;  // if not negative: the last extent; larger integers are ignored
};

// The functions count how often each integer occurs in each row, or add up the weights of the values. An empty tensor of weights
// counts each value once.

// Counts the integers in a vector, or in each row of a matrix.
template <class I, class T>
sparse_tensor<T> sparse_counts(const out<I>& x, const out<T>& weights, count_options o = {}, site s = {}) {
  const dense_count_sparse_output_op op{{o.binary_output, o.minlength, o.maxlength}};
  const auto [indices, values, extents] = apply(s, op, x, weights);
  return {indices, values, extents};
}
// Counts the integers in a sparse vector, or in each row of a sparse tensor.
template <class I, class T>
sparse_tensor<T> sparse_counts(const sparse_tensor<I>& x, const out<T>& weights, count_options o = {}, site s = {}) {
  const sparse_count_sparse_output_op op{{o.binary_output, o.minlength, o.maxlength}};
  const auto [indices, values, extents] = apply(s, op, x.indices, x.values, x.dense_shape, weights);
  return {indices, values, extents};
}
// Counts the integers in each row of a ragged tensor.
template <class I, class T>
sparse_tensor<T> sparse_counts(const ragged_tensor<I>& x, const out<T>& weights, count_options o = {}, site s = {}) {
  const ragged_count_sparse_output_op op{{o.binary_output, o.minlength, o.maxlength}};
  const auto splits = x.row_splits.empty() ? out<std::int64_t>() : x.row_splits.back();
  const auto [indices, values, extents] = apply(s, op, splits, x.values, weights);
  return {indices, values, extents};
}

using sparse_count_ops = type_list<dense_count_sparse_output_op, sparse_count_sparse_output_op, ragged_count_sparse_output_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sparse/detail/counts.hpp>
#endif
