#pragma once
// The error function and its complement for packets: rational approximations in x^2, and in 1 / x^2 for large arguments.

#include <flowgraph/ops/kernel/packet.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel::FLOWGRAPH_LEVEL {

template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> exp(packet<T> x);

// Coefficients, the highest power first. `small` approximates erf(x) / x for |x| up to 1 (for floats up to 4, where erf is 1);
// `large` approximates the complement times x exp(x^2) for larger |x|.
template <class T> struct erf_constants;

template <> struct erf_constants<float> {
  static constexpr float small_over[] = {2.1237322e-6f, 0.00028619796f, 0.0036580483f, 0.05243302f, 0.18741608f, 1.1283791f};
  static constexpr float small_under[] = {3.8918573e-5f, 0.001143296f, 0.014752088f, 0.112945676f, 0.4994258f, 1};
  static constexpr float complement[] = {0.0005618023f, -0.0049138167f, 0.026707515f, -0.11280011f, 0.37612295f, -1.1283791f};
  static constexpr float large_over[] = {0.102081165f, 0.42920667f, 0.3237908f, 0.053971976f};
  static constexpr float large_under[] = {0.017251678f, 0.39137164f, 1, 0.6217324f, 0.09566286f};
  static constexpr float one = 4, nothing = 11;  // erf is 1 for larger x; the complement is 0 for larger x
  static constexpr std::uint32_t lower_half = 0xfffu;
};

template <> struct erf_constants<double> {
  static constexpr double small_over[] = {0.00019493725660006057, 0.0018272566210022943, 0.04530336335169011, 0.1421501550361918,
                                          1.1283791670955126};
  static constexpr double small_under[] = {2.02944841010831e-5, 0.0006811780589918682, 0.010582026056098615,
                                           0.0932526031437575,  0.4593106281836894,    1};
  static constexpr double large_over[] = {0.00015252844933226974, 0.010909912393738931, 0.10628604636755033, 0.3349247297313798,
                                          0.4506577621593329,     0.29433039130294825,  0.09879267636060023, 0.01709593539550372,
                                          0.0014249109729504578,  4.4567378313647955e-5};
  static constexpr double large_under[] = {
      0.00204198510311579, 0.05316030659946044, 0.3426242193784685,   0.856563712430805,     1,
      0.5968805280570777,  0.18909228547233178, 0.031525054186560056, 0.0025650857518618826, 7.899362131678838e-5};
  static constexpr double one = 6, nothing = 28;
  static constexpr std::uint64_t lower_half = 0x7ffffffu;
};

template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> small_erf(packet<T> x, packet<T> square) {
  using c = erf_constants<T>;
  return x * polynomial<c::small_over>(square) / polynomial<c::small_under>(square);
}

// Returns the complement for |x| > 1. The rounding error of x^2 is corrected exactly: each half of x has half the digits.
template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> large_erfc(packet<T> x, packet<T> square) {
  using c = erf_constants<T>;
  using P = packet<T>;
  const P high = P::of_bits(x.bits() & ~(typename P::bits_type{} + c::lower_half)), low = x - high;
  const P lost = (high * high - square) + T(2) * high * low + low * low;
  const P e = exp(-square), scale = negative_fma(e, lost, e), r = 1 / square;
  return scale * (polynomial<c::large_over>(r) / (x * polynomial<c::large_under>(r))) + select(x < 0, T(2), P(T(0)));
}

template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> erf(packet<T> number) {
  using c = erf_constants<T>;
  const packet<T> x = clamp(number, -c::one, c::one), square = x * x;
  if constexpr (sizeof(T) == sizeof(float)) return clamp(small_erf<T>(x, square), T(-1), T(1));
  else return select(square > 1, 1 - large_erfc<T>(x, square), small_erf<T>(x, square));
}

template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> erfc(packet<T> number) {
  using c = erf_constants<T>;
  const packet<T> x = clamp(number, -c::nothing, c::nothing), square = x * x;
  packet<T> small;
  if constexpr (sizeof(T) == sizeof(float)) small = fma(x, polynomial<c::complement>(square), T(1));
  else small = 1 - small_erf<T>(x, square);
  return select(square > 1, large_erfc<T>(x, square), small);
}

}  // namespace flowgraph::kernel::FLOWGRAPH_LEVEL

#include <flowgraph/show_names.hpp>
