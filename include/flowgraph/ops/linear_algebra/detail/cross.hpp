#pragma once

#include <flowgraph/ops/linear_algebra/cross.hpp>
#include <flowgraph/ops/shared/detail/wide.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <class T> void cross_op::operator()(cpu ctx, view<const T> a, view<const T> b, view<T> y) const {
  if (a.shape()[-1] != 3)
    return ctx.fail(error_code::failed_precondition, "Cross-products are only defined for 3-element vectors.");
  constexpr std::int64_t vectors_per_block = 1 << 14;
  ctx.parallel_ranges(static_cast<std::int64_t>(y.size() / 3), vectors_per_block, [&](std::int64_t first, std::int64_t last) {
    using W = detail::wide<T>;
    const auto element = [](view<const T> x, std::int64_t i) { return detail::widened(x[static_cast<std::size_t>(i)]); };
    const auto minor = [&](std::int64_t i, std::int64_t j) {
      return detail::narrowed<T>(static_cast<W>(element(a, i) * element(b, j) - element(a, j) * element(b, i)));
    };
    for (std::int64_t i = 3 * first; i < 3 * last; i += 3) {
      const auto at = static_cast<std::size_t>(i);
      y[at] = minor(i + 1, i + 2);
      y[at + 1] = minor(i + 2, i);
      y[at + 2] = minor(i, i + 1);
    }
  });
}

}  // namespace flowgraph
