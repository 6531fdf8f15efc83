#pragma once

#include <flowgraph/ops/sparse/detail/ragged_range.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list ragged_range_op::shape(shape_context& c, const flowgraph::shape& starts,
                                                                  const flowgraph::shape& limits,
                                                                  const flowgraph::shape& deltas) const {
  std::int64_t rows = 1;
  for (const flowgraph::shape* s : {&starts, &limits, &deltas}) {
    if (s->rank > 1) c.fail(message{"the starts, limits and deltas must be scalars or vectors, found the shape ", *s});
    if (c.failed() || s->rank == 0) continue;
    const std::int64_t found = s->has_rank() ? (*s)[0] : -1;
    const bool is_first = s == &starts || (s == &limits && starts.rank == 0) || (starts.rank == 0 && limits.rank == 0);
    if (!is_first && found >= 0 && rows >= 0 && found != rows)
      c.fail(message{"the starts, limits and deltas must have the same number of rows, found ", rows, " and ", found});
    rows = is_first || found >= 0 ? found : rows;
  }
  // An input of unknown rank may be a scalar.
  const bool is_known = starts.has_rank() && limits.has_rank() && deltas.has_rank() && rows >= 0;
  return {{is_known ? rows + 1 : -1}, {any}};
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE void detail::refuse_range(cpu ctx, std::size_t row, std::int64_t length, bool is_total) {
  if (is_total)
    return ctx.fail(message{"the type of the splits must represent the number of all values, which is exceeded at row ", row});
  if (length < 0) return ctx.fail(message{"row ", row, " must have fewer than 2^63 values"});
  ctx.fail(message{"the type of the splits must represent the length of row ", row, ", found ", length});
}

}  // namespace flowgraph
