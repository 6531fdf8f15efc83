#pragma once

#include <flowgraph/ops/sparse/detail/places.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE bool detail::check_extents(cpu ctx, any_indices extents) {
  std::int64_t product = 1;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const std::int64_t extent = extents[k];
    if (extent < 0) return detail::fail_check(ctx, message{"extent ", k, " of the shape must not be negative, found ", extent});

    if (extent != 0 && product > std::numeric_limits<std::int64_t>::max() / extent)
      return detail::fail_check(
          ctx, message{"the shape has too many elements: the product of its first ", k + 1, " extents does not fit in 64 bits"});

    product *= extent;
  }
  return true;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE void detail::refuse_index(cpu ctx, std::int64_t row, std::int64_t column, std::int64_t found,
                                                          std::int64_t extent, error_code code) {
  ctx.fail(code, message{"the index at position [", row, ", ", column, "] must be in [0, ", extent, "), found ", found});
}

FLOWGRAPH_INLINE bool detail::check_inside(cpu ctx, any_indices indices, std::int64_t count, std::int64_t rank,
                                           any_indices extents) {
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t k = 0; k < rank; ++k)
      if (const std::int64_t found = indices[i * rank + k]; found < 0 || found >= extents[k]) {
        refuse_index(ctx, i, k, found, extents[k]);
        return false;
      }
  return true;
}

FLOWGRAPH_INLINE bool detail::are_ordered(const places& p, bool allow_equal) {
  for (std::int64_t i = 1; i < p.count; ++i)
    if (const int found = compare_places(p[i - 1], p[i], p.rank); found > 0 || (found == 0 && !allow_equal)) return false;
  return true;
}

FLOWGRAPH_INLINE void detail::order_places(const places& p, std::int64_t* order) {
  for (std::int64_t i = 0; i < p.count; ++i) order[i] = i;
  if (are_ordered(p, true)) return;
  std::sort(order, order + p.count, [&p](std::int64_t a, std::int64_t b) {
    const int found = compare_places(p[a], p[b], p.rank);
    return found != 0 ? found < 0 : a < b;
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
