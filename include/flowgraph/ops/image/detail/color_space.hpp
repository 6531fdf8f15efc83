#pragma once

#include <flowgraph/ops/image/color_space.hpp>
#include <flowgraph/ops/image/detail/colors.hpp>
#include <flowgraph/ops/shared/detail/number.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::colors_shape(shape_context& c, const shape& x) {
  if (!x.has_rank()) return x;
  if (x.rank == 0 || (x[-1] >= 0 && x[-1] != 3)) return c.fail("the last axis must have three elements");
  shape result = x;
  result[-1] = 3;
  return result;
}

namespace detail {

// The numbers with which colors of type T are converted.
template <class T> struct color_number {
  using type = T;
};
template <class T>
  requires is_half<T> struct color_number<T> {
  using type = rounded_number<T>;
};

template <class T, class Convert> void convert_colors(cpu ctx, view<const T> x, view<T> y, const Convert& convert) {
  using number = typename color_number<T>::type;
  ctx.parallel_ranges(static_cast<std::int64_t>(x.size()) / 3, pixels_per_block, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const T* const p = x.data() + 3 * i;
      const auto result = convert(color<number>{{number(p[0]), number(p[1]), number(p[2])}});
      for (int k = 0; k < 3; ++k) y.data()[3 * i + k] = static_cast<T>(result.part[k]);
    }
  });
}

}  // namespace detail

template <class T> void rgb_to_hsv_op::operator()(cpu ctx, view<const T> x, view<T> y) const {
  detail::convert_colors(ctx, x, y, [](const auto& c) { return detail::hsv_of(c); });
}

template <class T> void hsv_to_rgb_op::operator()(cpu ctx, view<const T> x, view<T> y) const {
  detail::convert_colors(ctx, x, y, [](const auto& c) { return detail::rgb_of(c); });
}

}  // namespace flowgraph
