#pragma once

#include <flowgraph/core/first_that.hpp>
#include <flowgraph/ops/shared/detail/segment_rows.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE bool detail::check_range(cpu ctx, const index_list& indices, std::int64_t extent, std::string_view what,
                                          bool allow_negative) {
  for (std::int64_t i = 0; i < indices.size; ++i) {
    const std::int64_t index = indices[i];
    if ((index >= 0 || allow_negative) && index < extent) continue;
    return detail::fail_check(ctx, message{what, '[', i, "] = ", index, " is not in [0, ", extent, ")"});
  }
  return true;
}

FLOWGRAPH_INLINE std::int64_t detail::count_segments(cpu ctx, const index_list& ids) {
  std::int64_t last = 0;
  for (std::int64_t i = 0; i < ids.size; ++i) {
    const std::int64_t id = ids[i];
    if (id < last || id == std::numeric_limits<std::int64_t>::max()) {
      ctx.fail(message{"expected segment_ids in ascending order from 0, found ", id, " at position ", i,
                       i > 0 ? message{" after ", last}.string() : std::string()});
      return -1;
    }
    last = id;
  }
  return ids.size == 0 ? 0 : last + 1;
}

FLOWGRAPH_INLINE std::int64_t detail::segment_terms::first_of(std::int64_t row) const {
  return first_that(to.size, [&](std::int64_t i) { return to[i] >= row; });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
