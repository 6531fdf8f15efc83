#pragma once

#include <flowgraph/core/shape.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the matrix of a stack of shape `x` that belongs to matrix `index` of the result's stack.
inline std::int64_t stacked_index(const shape& x, const shape& z, std::int64_t index) {
  std::int64_t at = 0, step = 1;
  for (int i = 3; i <= z.rank; ++i) {
    const std::int64_t k = index % z[z.rank - i];
    index /= z[z.rank - i];
    if (i > x.rank) continue;
    at += x[x.rank - i] == 1 ? 0 : k * step;
    step *= x[x.rank - i];
  }
  return at;
}

}  // namespace flowgraph::detail
