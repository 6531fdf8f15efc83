#pragma once

#include <flowgraph/ops/sparse/ragged_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE bool detail::check_row_splits(cpu ctx, any_indices splits, std::string_view what, std::size_t number) {
  if (splits.rank() != 1 || splits.size() == 0)
    return detail::fail_check(
        ctx, message{what, " ", number, " must be a vector with at least one element, found the shape ", splits.shape()});
  if (splits[0] != 0) return detail::fail_check(ctx, message{what, " ", number, " must begin with 0, found ", splits[0]});
  for (std::size_t i = 1; i < splits.size(); ++i)
    if (splits[i] < splits[i - 1])
      return detail::fail_check(
          ctx, message{what, " ", number, " must ascend, found ", splits[i - 1], " before ", splits[i], " at position ", i});
  return true;
}

}  // namespace flowgraph
