#pragma once

#include <flowgraph/ops/sparse/detail/sets.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}
inline void check_set_operation(shape_context& c, const std::string& name) {
  const std::string found = lower_case(name);
  if (found != "union" && found != "intersection" && found != "a-b" && found != "b-a")
    c.fail(message{"set_operation must be 'union', 'intersection', 'a-b' or 'b-a', found '", name, "'"});
}
// Checks a dense operand. Returns the number of axes; -1 if it is not known.
inline std::int64_t check_dense_sets(shape_context& c, const shape& x) {
  if (!c.failed() && x.has_rank() && x.rank < 2) c.fail(message{"a tensor of sets must have at least two axes, found ", x});
  return x.rank;
}
inline std::int64_t check_sparse_sets(shape_context& c, const shape& indices, const shape& values, const shape& extents) {
  if (c.failed()) return -1;
  const sparse_layout form = check_sparse_layout(c, indices, values, extents);
  if (!c.failed() && form.rank >= 0 && (form.rank < 2 || form.rank > shape::max_rank))
    c.fail(message{"a tensor of sets must have 2 to ", shape::max_rank, " axes, found ", form.rank});
  return form.rank;
}
inline shape_list shape_of_sets(shape_context& c, std::int64_t a, std::int64_t b) {
  if (!c.failed() && a >= 0 && b >= 0 && a != b)
    c.fail(message{"the two tensors must have the same number of axes, found ", a, " and ", b});
  const std::int64_t rank = a >= 0 ? a : b;
  return {{any, rank}, {any}, {rank}};
}
inline std::size_t scratch_of_sets(std::int64_t elements) {
  return static_cast<std::size_t>(elements) * (sizeof(std::int64_t) + sizeof(set_element));
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list dense_to_dense_set_operation_op::shape(shape_context& c, const flowgraph::shape& a,
                                                                                  const flowgraph::shape& b) const {
  detail::check_set_operation(c, set_operation);
  const std::int64_t left = detail::check_dense_sets(c, a), right = detail::check_dense_sets(c, b);
  return detail::shape_of_sets(c, left, right);
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list dense_to_sparse_set_operation_op::shape(shape_context& c, const flowgraph::shape& a,
                                                                                   const flowgraph::shape& b_indices,
                                                                                   const flowgraph::shape& b_values,
                                                                                   const flowgraph::shape& b_extents) const {
  detail::check_set_operation(c, set_operation);
  const std::int64_t left = detail::check_dense_sets(c, a), right = detail::check_sparse_sets(c, b_indices, b_values, b_extents);
  return detail::shape_of_sets(c, left, right);
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list sparse_to_sparse_set_operation_op::shape(
    shape_context& c, const flowgraph::shape& a_indices, const flowgraph::shape& a_values, const flowgraph::shape& a_extents,
    const flowgraph::shape& b_indices, const flowgraph::shape& b_values, const flowgraph::shape& b_extents) const {
  detail::check_set_operation(c, set_operation);
  const std::int64_t left = detail::check_sparse_sets(c, a_indices, a_values, a_extents),
                     right = detail::check_sparse_sets(c, b_indices, b_values, b_extents);
  return detail::shape_of_sets(c, left, right);
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE shape set_size_op::shape(shape_context& c, const flowgraph::shape& indices,
                                                         const flowgraph::shape& values, const flowgraph::shape& extents) const {
  const std::int64_t rank = detail::check_sparse_sets(c, indices, values, extents);
  return rank < 0 || c.failed() ? flowgraph::shape::unknown() : flowgraph::shape::unknown_of_rank(static_cast<int>(rank) - 1);
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t dense_to_dense_set_operation_op::scratch(const flowgraph::shape& a,
                                                                                     const flowgraph::shape& b) const {
  return detail::scratch_of_sets(a.size() + b.size());
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t dense_to_sparse_set_operation_op::scratch(const flowgraph::shape& a,
                                                                                      const flowgraph::shape&,
                                                                                      const flowgraph::shape& b_values,
                                                                                      const flowgraph::shape&) const {
  return detail::scratch_of_sets(a.size() + b_values.size());
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t sparse_to_sparse_set_operation_op::scratch(
    const flowgraph::shape&, const flowgraph::shape& a_values, const flowgraph::shape&, const flowgraph::shape&,
    const flowgraph::shape& b_values, const flowgraph::shape&) const {
  return detail::scratch_of_sets(a_values.size() + b_values.size());
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t set_size_op::scratch(const flowgraph::shape&, const flowgraph::shape& values,
                                                                 const flowgraph::shape&) const {
  return static_cast<std::size_t>(values.size()) * sizeof(std::int64_t);
}

FLOWGRAPH_INLINE detail::rows_of_sets detail::dense_set_rows(const shape& x) {
  rows_of_sets rows;
  rows.count = x.size();
  rows.axes = x.rank - 1;
  rows.width = x[-1];
  std::copy_n(x.dims, rows.axes, rows.extents);
  return rows;
}

FLOWGRAPH_INLINE detail::rows_of_sets detail::sparse_set_rows(cpu ctx, view<const std::int64_t> indices,
                                                              view<const std::int64_t> extents, bool validate) {
  const places p(indices);
  rows_of_sets rows;
  rows.count = p.count;
  rows.axes = static_cast<int>(p.rank) - 1;
  rows.indices = p.data;
  std::copy_n(extents.data(), rows.axes, rows.extents);
  if (!check_extents(ctx, any_indices(extents))) return rows;
  const error_code outside = validate ? error_code::invalid_argument : error_code::internal;
  for (std::int64_t i = 0; i < p.count; ++i)
    for (std::int64_t k = 0; k < p.rank; ++k)
      if (const std::int64_t extent = extents[static_cast<std::size_t>(k)]; p[i][k] < 0 || p[i][k] >= extent) {
        refuse_index(ctx, i, k, p[i][k], extent, outside);
        return rows;
      }
  if (validate && !are_ordered(p, false)) ctx.fail("the places must be different and in row-major order");
  return rows;
}

FLOWGRAPH_INLINE bool detail::check_same_rows(cpu ctx, const rows_of_sets& a, const rows_of_sets& b) {
  const shape left = shape::of(a.extents, a.axes), right = shape::of(b.extents, b.axes);
  if (left == right) return true;
  return detail::fail_check(ctx, message{"the axes before the last must be equal, found ", left, " and ", right});
}

FLOWGRAPH_INLINE int detail::compare_set_rows(const rows_of_sets& a, std::int64_t i, const rows_of_sets& b, std::int64_t k) {
  for (int axis = 0; axis < a.axes; ++axis)
    if (const std::int64_t x = a.index(i, axis), y = b.index(k, axis); x != y) return x < y ? -1 : 1;
  return 0;
}

FLOWGRAPH_INLINE detail::set_operation detail::set_operation_of(const std::string& name) {
  const std::string found = lower_case(name);
  return found == "union"          ? set_operation::union_
         : found == "intersection" ? set_operation::intersection
         : found == "a-b"          ? set_operation::a_minus_b
                                   : set_operation::b_minus_a;
}

}  // namespace flowgraph
