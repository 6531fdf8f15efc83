#pragma once

#include <flowgraph/ops/shared/detail/elementwise.hpp>
#include <flowgraph/ops/math/power.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <class T> bool detail::check_exponent(cpu ctx, view<const T> exponents) {
  if constexpr (std::is_integral_v<T>) {
    for (const T e : exponents) {
      if (e < 0) return detail::fail_check(ctx, message{"integers cannot be raised to negative powers, found ", std::int64_t{e}});
    }
  }
  return true;
}

}  // namespace flowgraph
