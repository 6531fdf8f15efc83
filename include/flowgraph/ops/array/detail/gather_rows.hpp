#pragma once
// Rows of a tensor that indices name: checks of the indices, and copies of the rows, for gathers of tensors and of variables.

#include <flowgraph/core/index_view.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// params is batch x outer x extent x inner, indices are batch x count, y is batch x outer x count x inner.
struct gather_sizes {
  std::int64_t batch, outer, extent, inner, count;
};

// Checks that all indices are in [0, extent). Fails with the first index that is not.
bool check_indices(cpu ctx, const any_indices& indices, std::int64_t extent);

template <class Unit, class I> void gather_run(const Unit* from, const I* indices, Unit* to, std::int64_t n, std::int64_t inner) {
  if (inner == 1) {
    for (std::int64_t i = 0; i < n; ++i) to[i] = from[indices[i]];
  } else {
    for (std::int64_t i = 0; i < n; ++i) std::copy_n(from + static_cast<std::int64_t>(indices[i]) * inner, inner, to + i * inner);
  }
}

// Copies rows of y in blocks. A block may begin and end amid the rows of one index list.
template <class Unit, class I> void gather_rows_of(cpu ctx, const Unit* from, const I* indices, Unit* to, const gather_sizes& g) {
  if (g.inner == 0 || g.count == 0) return;
  const std::int64_t rows = g.batch * g.outer * g.count;
  ctx.parallel_ranges(rows, std::max<std::int64_t>(1, moved_per_block / g.inner), [&](std::int64_t first, std::int64_t last) {
    while (first < last) {
      const std::int64_t list = first / g.count, at = first % g.count, n = std::min(g.count - at, last - first);
      gather_run(from + list * g.extent * g.inner, indices + list / g.outer * g.count + at, to + first * g.inner, n, g.inner);
      first += n;
    }
  });
}
template <class Unit>
void gather_rows_of(cpu ctx, const Unit* from, const any_indices& indices, Unit* to, const gather_sizes& g) {
  indices.visit([&](const auto* first) { gather_rows_of(ctx, from, first, to, g); });
}
void gather_rows(cpu ctx, element_layout e, const void* params, const any_indices& indices, void* y, const gather_sizes& g);

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/array/impl/gather_rows.hpp>
#endif
