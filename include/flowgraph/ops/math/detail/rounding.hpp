#pragma once

#include <flowgraph/ops/shared/detail/elementwise.hpp>
#include <flowgraph/ops/math/rounding.hpp>

#include <cmath>
#include <complex>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Tests the bits without the sign: a number is finite below the bits of infinity, and NaN above them.
template <class Bits> void test_floats(cpu ctx, float_question q, const void* x, Bits infinity, bool* y, std::size_t n) {
  const Bits* from = static_cast<const Bits*>(x);
  for_each_block(ctx, static_cast<std::int64_t>(n), [&](std::int64_t first, std::int64_t last) {
    const auto all = [&](auto question) {
      constexpr Bits no_sign = static_cast<Bits>(~Bits{0}) >> 1;
      for (std::int64_t i = first; i < last; ++i) y[i] = question(static_cast<Bits>(from[i] & no_sign));
    };
    if (q == float_question::finite) all([&](Bits size) { return size < infinity; });
    else if (q == float_question::infinite) all([&](Bits size) { return size == infinity; });
    else all([&](Bits size) { return size > infinity; });
  });
}

template <class T> T clipped(T x, T low, T high) {
  const T bounded = high < x ? high : x;
  return bounded < low ? low : bounded;
}
template <class R> std::complex<R> clipped(std::complex<R> x, std::complex<R> low, std::complex<R> high) {
  return {clipped(x.real(), low.real(), high.real()), clipped(x.imag(), low.imag(), high.imag())};
}

// Clips one row. A bound with one element does not advance.
template <class T>
void clip_row(const T* x, const T* low, std::int64_t low_step, const T* high, std::int64_t high_step, T* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = clipped(x[i], low[i * low_step], high[i * high_step]);
}

}  // namespace detail

template <class Op> template <class T> void detail::float_test<Op>::operator()(cpu ctx, view<const T> x, view<bool> y) const {
  if constexpr (sizeof(T) == 8) test_floats<std::uint64_t>(ctx, Op::question, x.data(), 0x7ff0000000000000u, y.data(), x.size());
  else if constexpr (sizeof(T) == 4) test_floats<std::uint32_t>(ctx, Op::question, x.data(), 0x7f800000u, y.data(), x.size());
  else test_floats<std::uint16_t>(ctx, Op::question, x.data(), std::is_same_v<T, half> ? 0x7c00 : 0x7f80, y.data(), x.size());
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape clip_by_value_op::shape(shape_context& c, const flowgraph::shape& x,
                                                                     const flowgraph::shape& low,
                                                                     const flowgraph::shape& high) const {
  flowgraph::shape result = x;
  for (const flowgraph::shape* bound : {&low, &high}) {
    if (bound->rank <= 0) continue;
    if (!fits(*bound, result)) return c.fail("expected bounds of the shape of x, or scalars");
    result = merged(result, *bound);
  }
  return result;
}

template <class T>
void clip_by_value_op::operator()(cpu ctx, view<const T> x, view<const T> low, view<const T> high, view<T> y) const {
  const std::int64_t low_step = low.rank() == 0 ? 0 : 1, high_step = high.rank() == 0 ? 0 : 1;
  // If the output takes the memory of a scalar bound, it has one element: its block reads the bound before it writes.
  detail::for_each_block(ctx, static_cast<std::int64_t>(y.size()), [&](std::int64_t first, std::int64_t last) {
    const T* const l = low.data() + first * low_step;
    const T* const h = high.data() + first * high_step;
    if constexpr (detail::is_half<T>) {
      for (std::int64_t i = first; i < last; i += detail::half_block) {
        float block[detail::half_block], lows[detail::half_block], highs[detail::half_block];
        const std::int64_t m = std::min(detail::half_block, last - i);
        detail::widen(x.data() + i, block, m);
        detail::widen(l + (i - first) * low_step, lows, low_step ? m : 1);
        detail::widen(h + (i - first) * high_step, highs, high_step ? m : 1);
        detail::clip_row(block, lows, low_step, highs, high_step, block, m);
        detail::narrow(block, y.data() + i, m);
      }
    } else {
      detail::clip_row(x.data() + first, l, low_step, h, high_step, y.data() + first, last - first);
    }
  });
}

template <class T> void approximate_equal_op::operator()(cpu ctx, view<const T> x, view<const T> y, view<bool> z) const {
  const T limit = static_cast<T>(tolerance);
  detail::for_each_block(ctx, static_cast<std::int64_t>(z.size()), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) z.data()[i] = std::abs(x.data()[i] - y.data()[i]) < limit;
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
