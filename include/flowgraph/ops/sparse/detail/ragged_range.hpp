#pragma once

#include <flowgraph/ops/sparse/ragged_range.hpp>

#include <cmath>
#include <limits>
#include <type_traits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns the length of a row; -1 if it is not below 2^63.
template <class T> std::int64_t length_of_range(T start, T limit, T delta) {
  if constexpr (std::is_integral_v<T>) {
    if (delta > 0 ? limit <= start : limit >= start) return 0;
    const auto bits = [](T x) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(x)); };
    const std::uint64_t distance = delta > 0 ? bits(limit) - bits(start) : bits(start) - bits(limit);
    const std::uint64_t step = delta > 0 ? bits(delta) : 0 - bits(delta);
    const std::uint64_t length = (distance - 1) / step + 1;
    return length > std::uint64_t{std::numeric_limits<std::int64_t>::max()} ? -1 : static_cast<std::int64_t>(length);
  } else {
    if ((delta > 0 && limit <= start) || (delta < 0 && limit >= start)) return 0;
    const auto rounded = static_cast<double>(std::ceil(std::fabs((limit - start) / delta)));
    return rounded < 9223372036854775808.0 ? static_cast<std::int64_t>(rounded) : -1;  // not a number: -1 too
  }
}

// Fails, because the splits cannot count row `row`. A negative length is too large for any type.
FLOWGRAPH_COLD void refuse_range(cpu ctx, std::size_t row, std::int64_t length, bool is_total);

}  // namespace detail

template <class T, class I>
void ragged_range_op::operator()(cpu ctx, view<const T> starts, view<const T> limits, view<const T> deltas, view<I> splits,
                                 unsized<T> values) const {
  const auto of_row = [](view<const T> x, std::size_t row) { return x.rank() == 0 ? x[0] : x[row]; };
  constexpr auto most = static_cast<std::int64_t>(std::numeric_limits<I>::max());
  std::int64_t total = 0;
  splits[0] = 0;
  for (std::size_t row = 0; row + 1 < splits.size(); ++row) {
    const T delta = of_row(deltas, row);
    if (delta == T(0)) return ctx.fail(message{"the delta of row ", row, " must not be 0"});
    const std::int64_t length = detail::length_of_range(of_row(starts, row), of_row(limits, row), delta);
    if (length < 0 || length > most) return detail::refuse_range(ctx, row, length, false);
    if (length > most - total) return detail::refuse_range(ctx, row, length, true);
    total += length;
    splits[row + 1] = static_cast<I>(total);
  }
  const view<T> result = values.resize({total});
  if (ctx.failed()) return;
  for (std::size_t row = 0; row + 1 < splits.size(); ++row) {
    T value = of_row(starts, row);
    const auto last = static_cast<std::size_t>(splits[row + 1]);
    for (auto i = static_cast<std::size_t>(splits[row]); i < last; ++i) {
      result[i] = value;
      if (i + 1 < last) value = static_cast<T>(value + of_row(deltas, row));  // the number after the last may overflow
    }
  }
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/ragged_range.hpp>
#endif
