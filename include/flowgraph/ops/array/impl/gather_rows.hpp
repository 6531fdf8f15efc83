#pragma once

#include <flowgraph/ops/array/detail/gather_rows.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE bool detail::check_indices(cpu ctx, const any_indices& indices, std::int64_t extent) {
  return indices.visit([&](const auto* index) {
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (index[i] >= 0 && static_cast<std::int64_t>(index[i]) < extent) continue;
      return detail::fail_check(ctx, message{"indices[", i, "] = ", index[i], " is not in [0, ", extent, ")"});
    }
    return true;
  });
}

FLOWGRAPH_INLINE void detail::gather_rows(cpu ctx, element_layout e, const void* params, const any_indices& indices, void* y,
                                          const gather_sizes& g) {
  visit_layout(e,
               [&]<class Unit>() { gather_rows_of(ctx, static_cast<const Unit*>(params), indices, static_cast<Unit*>(y), g); });
}

}  // namespace flowgraph
