#pragma once
// Concatenation of strings: element by element, along axes, or by segment.
//
//     auto crossed = fg::string_join({country, language}, "_x_");
//     auto lines = fg::reduce_join(words, {-1}, " ");

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/constant.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Concatenates the strings of tensors element by element. The tensors have the same shape, or are scalars.
struct string_join_op {
  static constexpr std::string_view name = "StringJoin";
  static constexpr op_facts facts{.not_differentiable = true};
  std::string separator = {};
  static constexpr auto attrs = flowgraph::attrs(attr("separator", &string_join_op::separator));

  flowgraph::shape shape(shape_context& c, std::span<const flowgraph::shape> inputs) const;
  void operator()(cpu ctx, view_list<const std::string> inputs, view<std::string> output) const;
};

// Concatenates strings along the given axes, in the order in which the axes are given.
struct reduce_join_op {
  static constexpr std::string_view name = "ReduceJoin";
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.not_differentiable = true};
  bool keep_dims = false;
  std::string separator = {};
  static constexpr auto attrs =
      flowgraph::attrs(attr("keep_dims", &reduce_join_op::keep_dims), attr("separator", &reduce_join_op::separator));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& inputs, const flowgraph::shape& axes) const;
  void operator()(cpu ctx, view<const std::string> inputs, view<const std::int32_t> reduction_indices,
                  unsized<std::string> output) const;
};

// Concatenates the strings of each segment. The segment ids may be in any order.
struct unsorted_segment_join_op {
  static constexpr std::string_view name = "UnsortedSegmentJoin";
  using types = type_attrs<type_attr<"Tindices", index_types>, type_attr<"Tnumsegments", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(2);
  static constexpr op_facts facts{.not_differentiable = true};
  std::string separator = {};
  static constexpr auto attrs = flowgraph::attrs(attr("separator", &unsorted_segment_join_op::separator));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& inputs, const flowgraph::shape& segment_ids,
                         const flowgraph::shape& num_segments) const;
  template <class I, class N>
  void operator()(cpu ctx, view<const std::string> inputs, view<const I> segment_ids, view<const N> num_segments,
                  view<std::string> output) const;
};

using join_ops = type_list<string_join_op, reduce_join_op, unsorted_segment_join_op>;

// The separator is inserted between the strings.
inline out<std::string> string_join(const out_list<std::string>& parts, std::string separator = {}, site s = {}) {
  string_join_op op;
  op.separator = std::move(separator);
  return apply(op, parts, s);
}
// The separator is inserted between the strings.
inline out<std::string> reduce_join(const out<std::string>& x, const std::vector<std::int32_t>& axes, std::string separator = {},
                                    bool keep_dims = false, site s = {}) {
  if (!x.source) return {};
  reduce_join_op op;
  op.keep_dims = keep_dims;
  op.separator = std::move(separator);
  const tensor<std::int32_t> along({axes.size()}, std::span<const std::int32_t>(axes));
  return apply(op, x, graph_of(*x.source).constant(along, {.location = s.location}), s);
}
// `count` is the number of segments.
template <class I>
out<std::string> unsorted_segment_join(const out<std::string>& x, const out<I>& ids, const out<std::int32_t>& count,
                                       std::string separator = {}, site s = {}) {
  unsorted_segment_join_op op;
  op.separator = std::move(separator);
  return apply(op, x, ids, count, s);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/strings/detail/join.hpp>
#endif
