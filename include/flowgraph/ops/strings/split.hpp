#pragma once
// Splitting of strings into parts. Since the number of parts differs between strings, the parts are returned as a sparse matrix
// with a row for each string.
//
//     auto words = fg::string_split(lines);               // at whitespace
//     auto fields = fg::string_split(lines, ",");

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/constant.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Splits strings at every character that the delimiter contains. If the delimiter is empty, splits them into bytes.
struct string_split_op {
  static constexpr std::string_view name = "StringSplit";
  static constexpr op_facts facts{.not_differentiable = true};
  bool skip_empty = true;
  static constexpr auto attrs = flowgraph::attrs(attr("skip_empty", &string_split_op::skip_empty));

  shape_list shape(shape_context& c, const flowgraph::shape& input, const flowgraph::shape& delimiter) const;
  void operator()(cpu ctx, view<const std::string> input, view<const std::string> delimiter, unsized<std::int64_t> indices,
                  unsized<std::string> values, view<std::int64_t> shape) const;
};

// Splits strings at a separator. If the separator is empty, splits them at whitespace.
struct string_split_v2_op {
  static constexpr std::string_view name = "StringSplitV2";
  static constexpr op_facts facts{.not_differentiable = true};
  std::int64_t maxsplit = -1;  // the number of separators to split at; negative: all
  static constexpr auto attrs = flowgraph::attrs(attr("maxsplit", &string_split_v2_op::maxsplit));

  shape_list shape(shape_context& c, const flowgraph::shape& input, const flowgraph::shape& sep) const;
  void operator()(cpu ctx, view<const std::string> input, view<const std::string> sep, unsized<std::int64_t> indices,
                  unsized<std::string> values, view<std::int64_t> shape) const;
};

using split_ops = type_list<string_split_op, string_split_v2_op>;

// A sparse matrix of strings.
struct split_strings {
  out<std::int64_t> indices;  // row and column of each part
  out<std::string> values;    // the parts
  out<std::int64_t> shape;    // the number of rows and the length of the longest row
};

// x is a vector. `most` is the number of separators to split at; negative: all.
inline split_strings string_split(const out<std::string>& x, std::string separator = {}, std::int64_t most = -1, site s = {}) {
  if (!x.source) return {};
  string_split_v2_op op;
  op.maxsplit = most;
  const out<std::string> at = graph_of(*x.source).constant(tensor<std::string>(separator), {.location = s.location});
  const auto [indices, values, shape] = apply(op, x, at, s);
  return {indices, values, shape};
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/strings/detail/split.hpp>
#endif
