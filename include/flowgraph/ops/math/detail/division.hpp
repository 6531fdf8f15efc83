#pragma once

#include <flowgraph/ops/shared/detail/elementwise.hpp>
#include <flowgraph/ops/math/division.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

template <std::integral T> bool check_truncating_divisor(cpu ctx, view<const T> divisor) {
  if (std::find(divisor.begin(), divisor.end(), T{0}) == divisor.end()) return true;
  ctx.fail(error_code::internal, "Integer division by zero");
  return false;
}

}  // namespace flowgraph::detail
