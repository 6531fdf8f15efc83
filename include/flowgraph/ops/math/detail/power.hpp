#pragma once

#include <flowgraph/ops/shared/detail/elementwise.hpp>
#include <flowgraph/ops/math/power.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <std::integral T> bool detail::check_exponent(cpu ctx, view<const T> exponents) {
  for (const T e : exponents)
    if (e < 0) return detail::fail_check(ctx, message{"integers cannot be raised to negative powers, found ", std::int64_t{e}});
  return true;
}

}  // namespace flowgraph
