#pragma once

#include <flowgraph/ops/state/detail/scatter_rows.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_COLD inline void fail_row(cpu ctx, const shape& indices, std::int64_t position, std::int64_t found, std::int64_t rows) {
  std::string at;
  for (int i = indices.rank - 1; i >= 0; --i) {
    at = std::to_string(position % indices[i]) + (at.empty() ? "" : ",") + at;
    position /= indices[i];
  }
  ctx.fail(message{"indices", (at.empty() ? at : "[" + at + "]"), " = ", found, " is not in [0, ", rows, ")"});
}

}  // namespace detail

FLOWGRAPH_INLINE bool detail::check_rows(cpu ctx, const row_indices& indices, std::int64_t rows) {
  for (std::int64_t i = 0; i < indices.size; ++i) {
    const std::int64_t row = indices[i];
    if (row >= 0 && row < rows) continue;
    fail_row(ctx, indices.shape, i, row, rows);
    return false;
  }
  return true;
}

FLOWGRAPH_INLINE bool detail::check_scatter_shapes(cpu ctx, const shape& variable, const shape& indices, const shape& updates) {
  if (variable.rank < 1) return detail::fail_check(ctx, "a scalar variable has no rows to change");

  if (updates.rank == 0) return true;
  shape expected = indices;
  for (int i = 1; i < variable.rank; ++i) expected.push_back(variable[i]);
  if (updates == expected) return true;
  ctx.fail(message{"updates must be a scalar or have the shape indices.shape + variable.shape[1:]; found updates ", updates,
                   ", indices ", indices, ", variable ", variable});
  return false;
}

}  // namespace flowgraph
