#pragma once

#include <flowgraph/ops/sparse/detail/counted_values.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE bool detail::check_counted_splits(cpu ctx, view<const std::int64_t> splits, std::size_t least,
                                                   std::size_t values) {
  if (splits.size() < least)
    return detail::fail_check(ctx, message{"the splits must have at least ", least, " elements, found ", splits.size()});
  if (splits[0] != 0) return detail::fail_check(ctx, message{"the splits must begin with 0, found ", splits[0]});
  if (const std::int64_t last = splits[splits.size() - 1]; last != static_cast<std::int64_t>(values))
    return detail::fail_check(ctx, message{"the splits must end with the number of values, ", values, ", found ", last});
  return true;
}

FLOWGRAPH_INLINE bool detail::check_not_negative(cpu ctx, any_indices values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= 0) continue;
    return detail::fail_check(ctx, message{"integers to be counted must not be negative, found ", values[i]});
  }
  return true;
}

}  // namespace flowgraph
