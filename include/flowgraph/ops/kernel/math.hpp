#pragma once
// Elementary functions of packets. They are within a few ulp of the exact value, and agree with libm for zeros, infinities, NaN
// and denormals.

#include <flowgraph/functors/functions.hpp>
#include <flowgraph/ops/kernel/erf.hpp>
#include <flowgraph/ops/kernel/packet.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel::FLOWGRAPH_LEVEL {

// The constants that the functions of one element type use.
template <class T> struct constants;

template <> struct constants<float> {
  static constexpr int mantissa = 23;
  static constexpr std::uint32_t bias = 127;
  static constexpr float rounder = 12582912.f;  // 1.5 * 2^23: adding it rounds to an integer in the lowest bits
  static constexpr float log2e = 1.44269504f, ln2_high = 0.69313812256f, ln2_low = 9.0580006145e-6f;
  static constexpr float exp_low = -104.5f, exp_high = 89.f;
  static constexpr float expm1_low = -18.f, tanh_one = 9.5f, tiny = 1e-10f;
  static constexpr float denormal_scale = 33554432.f, denormal_exponent = 25;
  static constexpr float smallest_normal = 1.17549435e-38f;
  static constexpr std::uint32_t sqrt_half = 0x3f3504f3u, mantissa_mask = 0x7fffffu;

  // Approximates (exp(r) - 1 - r) / r^2 for |r| <= log(2) / 2 by the Taylor series, which is short enough for this range.
  static constexpr float exp_series[] = {1.f / 5040, 1.f / 720, 1.f / 120, 1.f / 24, 1.f / 6, 1.f / 2};
  // 2 * (atanh(s) - s) / s in powers of s^2, for log(1 + f) with s = f / (2 + f).
  static constexpr float log_series[] = {2.f / 9, 2.f / 7, 2.f / 5, 2.f / 3};
};

template <> struct constants<double> {
  static constexpr int mantissa = 52;
  static constexpr std::uint64_t bias = 1023;
  static constexpr double rounder = 6755399441055744.;  // 1.5 * 2^52
  static constexpr double log2e = 1.4426950408889634, ln2_high = 0.69314718036912382, ln2_low = 1.9082149292705877e-10;
  static constexpr double exp_low = -746, exp_high = 710;
  static constexpr double expm1_low = -40, tanh_one = 20, tiny = 1e-20;
  static constexpr double denormal_scale = 18014398509481984., denormal_exponent = 54;
  static constexpr double smallest_normal = 2.2250738585072014e-308;
  static constexpr std::uint64_t sqrt_half = 0x3fe6a09e667f3bcdu, mantissa_mask = 0xfffffffffffffu;

  static constexpr double exp_series[] = {1. / 6227020800, 1. / 479001600, 1. / 39916800, 1. / 3628800, 1. / 362880, 1. / 40320,
                                          1. / 5040,       1. / 720,       1. / 120,      1. / 24,      1. / 6,      1. / 2};
  static constexpr double log_series[] = {2. / 21, 2. / 19, 2. / 17, 2. / 15, 2. / 13, 2. / 11, 2. / 9, 2. / 7, 2. / 5, 2. / 3};
};

// Adding and subtracting 2^(mantissa bits) rounds to an integer. Larger numbers are integers already, and NaN remains NaN.
template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> rint(packet<T> x) {
  const packet<T> limit = T(std::uint64_t{1} << constants<T>::mantissa);
  const packet<T> size = abs(x);
  return select(size < limit, copysign((size + limit) - limit, x), x);
}

// Returns 2^n for an integer n in a packet, -bias < n <= bias.
template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> power_of_two(packet<T> n) {
  const packet<T> lowest = n + (constants<T>::rounder + T(constants<T>::bias));
  return packet<T>::of_bits(lowest.bits() << constants<T>::mantissa);
}

// Splits x into n log(2) + r. Returns n, and sets `p` to exp(r) - 1.
template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> reduce_exponent(packet<T> x, packet<T>& p) {
  using f = constants<T>;
  const packet<T> n = fma(x, f::log2e, f::rounder) - f::rounder;
  const packet<T> r = negative_fma(n, f::ln2_low, negative_fma(n, f::ln2_high, x));
  p = fma(r * r, polynomial<f::exp_series>(r), r);
  return n;
}

// Returns x * 2^n, rounded once.
template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> scale(packet<T> x, packet<T> n) {
  if constexpr (requires { lanes<T>::scale(x.value, n.value); }) {
    return from_lanes<T>(lanes<T>::scale(x.value, n.value));
  } else {
    // Scales in two steps: 2^n itself may overflow or underflow although the result does not.
    const packet<T> half = fma(n, T(0.5), constants<T>::rounder) - constants<T>::rounder;
    return x * power_of_two(half) * power_of_two(n - half);
  }
}

template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> exp(packet<T> x) {
  packet<T> p;
  const packet<T> n = reduce_exponent(clamp(x, constants<T>::exp_low, constants<T>::exp_high), p);
  return scale(p + 1, n);
}

template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> expm1(packet<T> x) {
  using f = constants<T>;
  packet<T> p;
  const packet<T> n = reduce_exponent(clamp(x, f::expm1_low, f::exp_high), p);
  const packet<T> half_scale = power_of_two(n - 1);
  const packet<T> y = fma(half_scale, p, half_scale - T(0.5)) * 2;
  return select(abs(x) < f::tiny, x, y);
}

// Returns log(u) + correction, for a correction much smaller than u. Returns NaN for negative u, and -infinity for 0.
template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> log_corrected(packet<T> u, packet<T> correction) {
  using c = constants<T>;
  using P = packet<T>;
  using bits = typename P::bits_type;
  const mask<T> denormal = u < c::smallest_normal;
  const P scaled = select(denormal, u * c::denormal_scale, u);

  // u = 2^n m, with m between sqrt(1/2) and sqrt(2). The exponent is converted to a number through the bits of 2^mantissa.
  const bits root = bits{} + c::sqrt_half;
  const bits shifted = scaled.bits() + (P(1).bits() - root);
  const P power = T(std::uint64_t{1} << c::mantissa);
  P n = P::of_bits((shifted >> c::mantissa) | power.bits()) - (power + T(c::bias));
  n = n - select(denormal, c::denormal_exponent, T(0));
  const P g = P::of_bits((shifted & (bits{} + c::mantissa_mask)) + root) - 1;

  const P s = g / (g + 2);
  const P z = s * s;
  const P half_square = T(0.5) * g * g;
  const P tail = s * fma(z, polynomial<c::log_series>(z), half_square);
  const P y = fma(n, c::ln2_high, g - (half_square - (tail + fma(n, c::ln2_low, correction))));

  const P infinity = T(__builtin_inf());
  const P special = select(u == 0, -infinity, select(u == infinity, infinity, T(__builtin_nan(""))));
  return select((u > 0) & (u < infinity), y, special);
}

template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> log(packet<T> x) { return log_corrected<T>(x, T(0)); }

template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> log1p(packet<T> x) {
  const packet<T> u = x + 1;
  return select(abs(x) < constants<T>::tiny, x, log_corrected<T>(u, (x - (u - 1)) / u));
}

template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> tanh(packet<T> x) {
  using f = constants<T>;
  // h = (exp(2 |x|) - 1) / 2, and tanh(|x|) = h / (h + 1).
  const packet<T> size = abs(x), twice = size * 2;
  packet<T> p;
  const packet<T> n = reduce_exponent(from_lanes<T>(lanes<T>::min(lanes<T>::broadcast(2 * f::tanh_one), twice.value)), p);
  const packet<T> half_scale = power_of_two(n - 1);
  const packet<T> h = select(twice < f::tiny, size, fma(half_scale, p, half_scale - T(0.5)));
  return copysign(h / (h + 1), x);
}

// Uses only exponentials of numbers up to 0, so that nothing overflows and small results keep their digits.
template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> sigmoid(packet<T> x) {
  const packet<T> e = exp(-abs(x));
  return select(x < 0, e, T(1)) / (e + 1);
}

// log(1 + exp(x)), computed without large exponentials.
template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> softplus(packet<T> x) { return max(x, T(0)) + log1p(exp(-abs(x))); }

}  // namespace flowgraph::kernel::FLOWGRAPH_LEVEL

namespace flowgraph::inline FLOWGRAPH_ABI::functor {

template <class T> struct functions<kernel::FLOWGRAPH_LEVEL::packet<T>> {
  using P = kernel::FLOWGRAPH_LEVEL::packet<T>;
  using mask = kernel::FLOWGRAPH_LEVEL::mask<T>;

  FLOWGRAPH_ALWAYS_INLINE static P select(mask m, P a, P b) { return kernel::FLOWGRAPH_LEVEL::select(m, a, b); }
  FLOWGRAPH_ALWAYS_INLINE static P max(P a, P b) { return kernel::FLOWGRAPH_LEVEL::max(a, b); }
  FLOWGRAPH_ALWAYS_INLINE static P min(P a, P b) { return kernel::FLOWGRAPH_LEVEL::min(a, b); }
  FLOWGRAPH_ALWAYS_INLINE static P abs(P x) { return kernel::FLOWGRAPH_LEVEL::abs(x); }
  FLOWGRAPH_ALWAYS_INLINE static P floor(P x) { return kernel::FLOWGRAPH_LEVEL::floor(x); }
  FLOWGRAPH_ALWAYS_INLINE static P rint(P x) { return kernel::FLOWGRAPH_LEVEL::rint(x); }
  FLOWGRAPH_ALWAYS_INLINE static P sqrt(P x) { return kernel::FLOWGRAPH_LEVEL::sqrt(x); }
  FLOWGRAPH_ALWAYS_INLINE static P exp(P x) { return kernel::FLOWGRAPH_LEVEL::exp(x); }
  FLOWGRAPH_ALWAYS_INLINE static P log(P x) { return kernel::FLOWGRAPH_LEVEL::log(x); }
  FLOWGRAPH_ALWAYS_INLINE static P log1p(P x) { return kernel::FLOWGRAPH_LEVEL::log1p(x); }
  FLOWGRAPH_ALWAYS_INLINE static P expm1(P x) { return kernel::FLOWGRAPH_LEVEL::expm1(x); }
  FLOWGRAPH_ALWAYS_INLINE static P tanh(P x) { return kernel::FLOWGRAPH_LEVEL::tanh(x); }
  FLOWGRAPH_ALWAYS_INLINE static P sigmoid(P x) { return kernel::FLOWGRAPH_LEVEL::sigmoid(x); }
  FLOWGRAPH_ALWAYS_INLINE static P softplus(P x) { return kernel::FLOWGRAPH_LEVEL::softplus(x); }
  FLOWGRAPH_ALWAYS_INLINE static P erf(P x) { return kernel::FLOWGRAPH_LEVEL::erf(x); }
  FLOWGRAPH_ALWAYS_INLINE static P erfc(P x) { return kernel::FLOWGRAPH_LEVEL::erfc(x); }
};

}  // namespace flowgraph::functor

#include <flowgraph/show_names.hpp>
