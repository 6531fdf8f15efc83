#pragma once
// Ragged tensors as dense tensors: each row is filled up with a default value, or cut.
//
//     auto padded = fg::ragged_to_dense(rows);                      // as wide as the longest row
//     auto six = fg::ragged_to_dense(rows, 0.f, {-1, 6});           // six columns

#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/sparse/ragged_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Makes a dense tensor of a ragged tensor. A row is cut if it is longer than its extent, and the default value follows the
// elements of a row that is shorter. The extents -1 of `shape` are computed: the width of an axis is the length of its longest
// row. The partitions describe the ragged axes from the outermost to the innermost: by splits (ROW_SPLITS), or by the row of each
// value (VALUE_ROWIDS). FIRST_DIM_SIZE gives the number of rows before row numbers.
struct ragged_tensor_to_tensor_op {
  static constexpr std::string_view name = "RaggedTensorToTensor";
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"Tindex", index_types>, type_attr<"Tshape", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  std::vector<std::string> row_partition_types = {};
  static constexpr auto attrs =
      flowgraph::attrs(required("row_partition_types", &ragged_tensor_to_tensor_op::row_partition_types));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& extents, const flowgraph::shape& values,
                         const flowgraph::shape& default_value, std::span<const flowgraph::shape> partitions) const;
  template <class T, class I, class S>
  void operator()(cpu ctx, index_view<S> extents, view<const T> values, view<const T> default_value,
                  view_list<const I> partitions, unsized<T> y) const;
  template <class T, class I, class S>
  gradient_list gradient(out<S> extents, out<T> values, out<T> default_value, const out_list<I>& partitions, out<T> y,
                         out<T> dy) const;
};

// Makes a dense tensor of a ragged tensor, with the default value after the end of each row. If `extents` are given, there must
// be one for each axis of the result: longer rows are cut, and -1 means the length of the longest row.
template <class T, class I>
out<T> ragged_to_dense(const ragged_tensor<T, I>& x, const std::type_identity_t<out<T>>& default_value,
                       std::vector<std::int64_t> extents = {}, site s = {}) {
  const ragged_tensor_to_tensor_op op{std::vector<std::string>(x.row_splits.size(), "ROW_SPLITS")};
  const tensor<std::int64_t> wanted =
      extents.empty() ? tensor<std::int64_t>(-1) : tensor<std::int64_t>({extents.size()}, std::span<const std::int64_t>(extents));
  return apply(s, op, detail::constant_beside(x.values, wanted), x.values, default_value, x.row_splits);
}
template <class T, class I>
out<T> ragged_to_dense(const ragged_tensor<T, I>& x, const std::type_identity_t<T>& default_value = T(),
                       std::vector<std::int64_t> extents = {}, site s = {}) {
  return ragged_to_dense(x, detail::constant_beside(x.values, tensor<T>(default_value)), std::move(extents), s);
}

using ragged_to_dense_ops = type_list<ragged_tensor_to_tensor_op>;

// The numbers of the values are made dense in the same way: -1 marks the default value.
template <class T, class I, class S>
gradient_list ragged_tensor_to_tensor_op::gradient(out<S>, out<T> values, out<T> default_value, const out_list<I>& partitions,
                                                   out<T> y, out<T> dy) const {
  const auto number = [&](std::int64_t n) { return detail::scalar_beside(values, n); };
  const out<std::int64_t> size = shape_of<std::int64_t>(values), extents = shape_of<std::int64_t>(y);
  const out<std::int64_t> count = slice(size, {0}, {1}), inner = slice(size, {1}, {-1});
  const out<std::int64_t> outer = slice(extents, detail::constant_beside(values, tensor<std::int64_t>({1}, {0})),
                                        reshape(size_of<std::int64_t>(extents) - size_of<std::int64_t>(inner), {1}));
  const out<std::int64_t> order =
      apply(site{}, *this, outer, range(number(0), reshape(count, {}), number(1)), number(-1), partitions);
  const out<T> rows =
      reshape(dy, concat<std::int64_t>({detail::constant_beside(values, tensor<std::int64_t>({1}, {-1})), inner}, 0));
  const out<std::int64_t> flat = reshape(order, {-1});
  const out<T> dvalues = unsorted_segment_sum(rows, flat, reshape(count, {}));
  const out<std::int64_t> is_default = select(less(flat, number(0)), zeros_like(flat), zeros_like(flat) - number(1));
  const out<T> ddefault =
      detail::reduced_like(unsorted_segment_sum(rows, is_default, 1), default_value, flowgraph::shape::unknown());
  gradient_list all{none, dvalues, ddefault};
  all.resize(3 + partitions.size(), none);
  return all;
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sparse/detail/ragged_to_dense.hpp>
#endif
