#pragma once

#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/shared/detail/number.hpp>

#include <bit>
#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Bits after the leading one of a floating type.
template <class T>
inline constexpr int mantissa_bits = std::is_same_v<T, half>       ? 10
                                     : std::is_same_v<T, bfloat16> ? 7
                                     : std::is_same_v<T, float>    ? 23
                                                                   : 52;

// Returns the number without the bits that To cannot represent.
template <class To, class From> From cut_mantissa(From x) {
  constexpr int cut = mantissa_bits<From> - mantissa_bits<To>;
  if constexpr (cut <= 0) {
    return x;
  } else {
    using bits =
        std::conditional_t<sizeof(From) == 8, std::uint64_t, std::conditional_t<sizeof(From) == 4, std::uint32_t, std::uint16_t>>;
    return std::bit_cast<From>(static_cast<bits>(std::bit_cast<bits>(x) >> cut << cut));
  }
}

// Rounds towards zero. Returns the lowest value if the number does not fit, as the processor does.
template <class Int, class Real> Int truncated(Real x) {
  constexpr Real limit = -static_cast<Real>(std::numeric_limits<Int>::min());
  return x >= -limit && x < limit ? static_cast<Int>(x) : std::numeric_limits<Int>::min();
}

template <class To, class Real> To real_to_integer(Real x) {
  if constexpr (std::is_same_v<To, std::uint64_t>) {
    constexpr Real half_range = static_cast<Real>(0x1p63);
    if (!(x >= half_range)) return static_cast<std::uint64_t>(truncated<std::int64_t>(x));
    return static_cast<std::uint64_t>(truncated<std::int64_t>(x - half_range)) ^ (std::uint64_t{1} << 63);
  } else if constexpr (std::is_same_v<To, std::uint32_t> || std::is_same_v<To, std::int64_t>) {
    return static_cast<To>(truncated<std::int64_t>(x));
  } else {
    return static_cast<To>(truncated<std::int32_t>(x));
  }
}

template <class To, class From> To converted(From x) {
  if constexpr (in_list<From, complex_numbers>) {
    if constexpr (in_list<To, complex_numbers>)
      return To(static_cast<typename To::value_type>(x.real()), static_cast<typename To::value_type>(x.imag()));
    else return converted<To>(x.real());
  } else if constexpr (is_half<From>) {
    return converted<To>(static_cast<float>(x));
  } else if constexpr (in_list<To, complex_numbers>) {
    return To(static_cast<typename To::value_type>(x));
  } else if constexpr (is_half<To>) {
    return To(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From{0};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return real_to_integer<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace detail

template <class From, class To> void cast_op::operator()(cpu ctx, view<const From> x, view<To> y) const {
  constexpr std::int64_t grain = 1 << 15;
  ctx.parallel_ranges(static_cast<std::int64_t>(x.size()), grain, [&](std::int64_t first, std::int64_t last) {
    const From* from = x.data();
    To* to = y.data();
    if constexpr (in_list<From, floating> && in_list<To, floating>) {
      if (truncate) {
        for (std::int64_t i = first; i < last; ++i) to[i] = detail::converted<To>(detail::cut_mantissa<To>(from[i]));
        return;
      }
    }
    for (std::int64_t i = first; i < last; ++i) to[i] = detail::converted<To>(from[i]);
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
