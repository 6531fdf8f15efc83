#pragma once

#include <flowgraph/ops/shared/detail/elementwise.hpp>
#include <flowgraph/ops/math/division.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

template <class T> bool check_truncating_divisor(cpu ctx, view<const T> divisor) {
  if constexpr (std::is_integral_v<T>) {
    if (std::find(divisor.begin(), divisor.end(), T{0}) != divisor.end()) {
      ctx.fail(error_code::internal, "Integer division by zero");
      return false;
    }
  }
  return true;
}

}  // namespace flowgraph::detail
