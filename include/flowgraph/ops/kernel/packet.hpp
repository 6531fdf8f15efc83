#pragma once
// packet<T>: one register of floats or doubles, with the arithmetic of a number.
//
//   packet<float> x = packet<float>::load(p), y = select(x > 0, x, 0);
//   y.store(q, n);                                   // the first n lanes, and no memory beyond them
//
// Everything is force-inlined: a file that is built for one level must not emit a function that the linker could choose for
// another level. A multiplication and an addition are rounded twice; fma() is rounded once, except at the baseline level, where
// it is rounded twice.

#include <flowgraph/ops/kernel/level.hpp>

#if FLOWGRAPH_LEVEL_USED == FLOWGRAPH_LEVEL_AVX512
#include <flowgraph/ops/kernel/lanes_avx512.hpp>
#elif FLOWGRAPH_LEVEL_USED == FLOWGRAPH_LEVEL_AVX2
#include <flowgraph/ops/kernel/lanes_avx2.hpp>
#elif FLOWGRAPH_LEVEL_USED == FLOWGRAPH_LEVEL_ONE
#include <flowgraph/ops/kernel/lanes_one.hpp>
#elif FLOWGRAPH_LEVEL_USED == FLOWGRAPH_LEVEL_NEON
#include <flowgraph/ops/kernel/lanes_neon.hpp>
#else
#include <flowgraph/ops/kernel/lanes_baseline.hpp>
#endif

// Unrolls the following loop completely at any optimization level, so that arrays of packets become registers. Code of devices
// has no such arrays.
#if defined(__CUDACC__)
#define FLOWGRAPH_UNROLL
#elif defined(__clang__)
#define FLOWGRAPH_UNROLL _Pragma("clang loop unroll(full)")
#else
#define FLOWGRAPH_UNROLL _Pragma("GCC unroll 16")
#endif

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel::FLOWGRAPH_LEVEL {

// A boolean for each lane.
template <class T> struct mask {
  typename lanes<T>::mask value;

  FLOWGRAPH_ALWAYS_INLINE friend mask operator&(mask a, mask b) { return {lanes<T>::both(a.value, b.value)}; }
  FLOWGRAPH_ALWAYS_INLINE friend mask operator|(mask a, mask b) { return {lanes<T>::either(a.value, b.value)}; }
  FLOWGRAPH_ALWAYS_INLINE friend mask operator!(mask a) { return {lanes<T>::opposite(a.value)}; }
};

template <class T> struct packet {
  using value_type = T;
  using lanes_type = typename lanes<T>::type;
  using bits_type = typename lanes<T>::bits;
  static constexpr std::int64_t width = lanes<T>::width;

  lanes_type value;

  packet() = default;
  FLOWGRAPH_ALWAYS_INLINE packet(T x) : value(lanes<T>::broadcast(x)) {}
  struct raw {
    lanes_type value;
  };
  FLOWGRAPH_ALWAYS_INLINE packet(raw x) : value(x.value) {}

  FLOWGRAPH_ALWAYS_INLINE static packet load(const T* p) { return raw{lanes<T>::load(p)}; }
  FLOWGRAPH_ALWAYS_INLINE void store(T* p) const { lanes<T>::store(p, value); }

  // Loads n lanes, 0 <= n < width. The other lanes are set to `fill`, and their memory is neither read nor written.
  FLOWGRAPH_ALWAYS_INLINE static packet load(const T* p, std::int64_t n, T fill) { return raw{lanes<T>::load(p, n, fill)}; }
  FLOWGRAPH_ALWAYS_INLINE void store(T* p, std::int64_t n) const { lanes<T>::store(p, n, value); }

  // Loads and stores the first lane. Unlike n = 1 above, this needs only the line of the cache that contains the number.
  FLOWGRAPH_ALWAYS_INLINE static packet load_one(const T* p) {
    if constexpr (width == 1) return raw{*p};
    else {
      lanes_type result = {};
      result[0] = *p;
      return raw{result};
    }
  }
  FLOWGRAPH_ALWAYS_INLINE void store_one(T* p) const {
    if constexpr (width == 1) *p = value;
    else *p = value[0];
  }

  FLOWGRAPH_ALWAYS_INLINE bits_type bits() const {
    if constexpr (width == 1) return __builtin_bit_cast(bits_type, value);
    else return bits_type(value);
  }
  FLOWGRAPH_ALWAYS_INLINE static packet of_bits(bits_type b) {
    if constexpr (width == 1) return raw{__builtin_bit_cast(lanes_type, b)};
    else return raw{lanes_type(b)};
  }

  FLOWGRAPH_ALWAYS_INLINE friend packet operator+(packet a, packet b) { return raw{a.value + b.value}; }
  FLOWGRAPH_ALWAYS_INLINE friend packet operator-(packet a, packet b) { return raw{a.value - b.value}; }
  FLOWGRAPH_ALWAYS_INLINE friend packet operator*(packet a, packet b) { return raw{a.value * b.value}; }
  FLOWGRAPH_ALWAYS_INLINE friend packet operator/(packet a, packet b) { return raw{a.value / b.value}; }
  FLOWGRAPH_ALWAYS_INLINE friend packet operator-(packet a) { return of_bits(a.bits() ^ packet(T(-0.0)).bits()); }

  FLOWGRAPH_ALWAYS_INLINE friend mask<T> operator<(packet a, packet b) { return {lanes<T>::less(a.value, b.value)}; }
  FLOWGRAPH_ALWAYS_INLINE friend mask<T> operator<=(packet a, packet b) { return {lanes<T>::less_equal(a.value, b.value)}; }
  FLOWGRAPH_ALWAYS_INLINE friend mask<T> operator==(packet a, packet b) { return {lanes<T>::equal(a.value, b.value)}; }
  FLOWGRAPH_ALWAYS_INLINE friend mask<T> operator>(packet a, packet b) { return b < a; }
  FLOWGRAPH_ALWAYS_INLINE friend mask<T> operator>=(packet a, packet b) { return b <= a; }
  FLOWGRAPH_ALWAYS_INLINE friend mask<T> operator!=(packet a, packet b) { return !(a == b); }
};

// The type of an argument that accepts a number as well as a packet. T is deduced from the other arguments.
template <class T> struct packet_of_either {
  using packet_type = packet<T>;
};
template <class T> using either = typename packet_of_either<T>::packet_type;

template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> from_lanes(typename lanes<T>::type x) { return typename packet<T>::raw{x}; }

template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> select(mask<T> m, either<T> a, either<T> b) {
  return from_lanes<T>(lanes<T>::select(m.value, a.value, b.value));
}
// a * b + c
template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> fma(packet<T> a, either<T> b, either<T> c) {
  return from_lanes<T>(lanes<T>::fma(a.value, b.value, c.value));
}
// c - a * b
template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> negative_fma(packet<T> a, either<T> b, either<T> c) {
  return from_lanes<T>(lanes<T>::negative_fma(a.value, b.value, c.value));
}
template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> sqrt(packet<T> x) { return from_lanes<T>(lanes<T>::sqrt(x.value)); }
// a / sqrt(x) of the first n lanes. The others are undefined.
template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> over_root(packet<T> a, packet<T> x, [[maybe_unused]] std::int64_t n) {
  if constexpr (requires { lanes<T>::over_root(a.value, x.value, n); })
    return from_lanes<T>(lanes<T>::over_root(a.value, x.value, n));
  else return a / sqrt(x);
}
template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> floor(packet<T> x) { return from_lanes<T>(lanes<T>::floor(x.value)); }
template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> abs(packet<T> x) {
  return packet<T>::of_bits(x.bits() & ~packet<T>(T(-0.0)).bits());
}
template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> copysign(packet<T> x, packet<T> sign) {
  const auto signs = packet<T>(T(-0.0)).bits();
  return packet<T>::of_bits((x.bits() & ~signs) | (sign.bits() & signs));
}

// Returns NaN if either operand is NaN, as TensorFlow's Maximum and Minimum do.
template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> max(packet<T> a, either<T> b) {
  return select(a == a, from_lanes<T>(lanes<T>::max(a.value, b.value)), a);
}
template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> min(packet<T> a, either<T> b) {
  return select(a == a, from_lanes<T>(lanes<T>::min(a.value, b.value)), a);
}

// Limits x to [low, high]. NaN remains NaN.
template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> clamp(packet<T> x, T low, T high) {
  const auto bounded = lanes<T>::min(lanes<T>::broadcast(high), x.value);
  return from_lanes<T>(lanes<T>::max(lanes<T>::broadcast(low), bounded));
}

// Element I of an array of constants, as a constant of its own: code of a device cannot read the array.
template <const auto& Array, unsigned I> inline constexpr auto coefficient = Array[I];

// Evaluates a polynomial by Horner's rule. The coefficients are constants, the highest power first.
template <const auto& Coefficients, unsigned I = 1, class T>
FLOWGRAPH_ALWAYS_INLINE packet<T> polynomial(packet<T> x, packet<T> y) {
  if constexpr (I == sizeof(Coefficients) / sizeof(T)) return y;
  else return polynomial<Coefficients, I + 1>(x, fma(y, x, packet<T>(coefficient<Coefficients, I>)));
}
template <const auto& Coefficients, class T> FLOWGRAPH_ALWAYS_INLINE packet<T> polynomial(packet<T> x) {
  return polynomial<Coefficients, 1>(x, packet<T>(coefficient<Coefficients, 0>));
}

// The operation by which a reduction combines its parts, and its initial value.
template <class T> struct join_sum {
  FLOWGRAPH_ALWAYS_INLINE static packet<T> start() { return T(0); }
  FLOWGRAPH_ALWAYS_INLINE static packet<T> join(packet<T> a, packet<T> b) { return a + b; }
};
template <class T> struct join_max {
  FLOWGRAPH_ALWAYS_INLINE static packet<T> start() { return -T(__builtin_inf()); }
  FLOWGRAPH_ALWAYS_INLINE static packet<T> join(packet<T> a, packet<T> b) { return max(a, b); }
};
template <class T> struct join_min {
  FLOWGRAPH_ALWAYS_INLINE static packet<T> start() { return T(__builtin_inf()); }
  FLOWGRAPH_ALWAYS_INLINE static packet<T> join(packet<T> a, packet<T> b) { return min(a, b); }
};

// Combines all lanes, halves first: lane i with lane i + width/2, then the quarters, and so on.
template <class Join, class T, int By = static_cast<int>(packet<T>::width / 2)>
FLOWGRAPH_ALWAYS_INLINE T horizontal(packet<T> x) {
  if constexpr (By == 0) {
    return x.value[0];
  } else {
    return horizontal<Join, T, By / 2>(Join::join(x, from_lanes<T>(lanes<T>::template rotate<By>(x.value))));
  }
}

// Transposes `width` packets: lane j of packet i and lane i of packet j are exchanged.
template <class T> FLOWGRAPH_ALWAYS_INLINE void transpose(packet<T> (&rows)[packet<T>::width]) {
  constexpr unsigned width = static_cast<unsigned>(packet<T>::width);
  FLOWGRAPH_UNROLL
  for (unsigned stage = 1; stage < width; stage *= 2) {
    packet<T> next[width];
    FLOWGRAPH_UNROLL
    for (unsigned i = 0; i < width / 2; ++i) {
      next[2 * i].value = lanes<T>::interleave_low(rows[i].value, rows[i + width / 2].value);
      next[2 * i + 1].value = lanes<T>::interleave_high(rows[i].value, rows[i + width / 2].value);
    }
    FLOWGRAPH_UNROLL
    for (unsigned i = 0; i < width; ++i) rows[i] = next[i];
  }
}

// Loads and stores a packet, or, if not `Full`, its first n lanes.
template <bool Full, class T> FLOWGRAPH_ALWAYS_INLINE packet<T> load_part(const T* p, [[maybe_unused]] std::int64_t n) {
  if constexpr (Full) return packet<T>::load(p);
  else return packet<T>::load(p, n, T(0));
}
template <bool Full, class T> FLOWGRAPH_ALWAYS_INLINE void store_part(const packet<T>& x, T* p, [[maybe_unused]] std::int64_t n) {
  if constexpr (Full) x.store(p);
  else x.store(p, n);
}

}  // namespace flowgraph::kernel::FLOWGRAPH_LEVEL

#include <flowgraph/show_names.hpp>
