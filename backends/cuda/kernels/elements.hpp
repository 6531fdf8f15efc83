#pragma once
// The types in which bodies compute: packets of a single lane, halves as floats, integers that wrap around.

#ifndef FLOWGRAPH_LEVEL_FILE
#define FLOWGRAPH_LEVEL_FILE FLOWGRAPH_LEVEL_ONE
#endif
#include <flowgraph/cuda/block.hpp>

#include <flowgraph/core/half.hpp>
#include <flowgraph/functors/all.hpp>
#include <flowgraph/functors/numbers.hpp>
#include <flowgraph/ops/kernel/math.hpp>

#include <type_traits>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

template <class T> inline constexpr bool is_half = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;

// The type in which elements are added up.
template <class T> using computed = std::conditional_t<is_half<T>, float, T>;

template <class F> concept by_number = requires { F::by_number; };

template <class T, bool ByNumber> struct operand {
  using type = T;
};
template <> struct operand<float, false> {
  using type = kernel::one::packet<float>;
};
template <> struct operand<double, false> {
  using type = kernel::one::packet<double>;
};
template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) struct operand<T, false> {
  using type = detail::wrapping<T>;
};

// The type for which the functor F is called, for elements of type T.
template <class F, class T> using operand_of = typename operand<computed<T>, by_number<F>>::type;

template <class F, class T> FLOWGRAPH_ALWAYS_INLINE operand_of<F, T> get(const T& x) {
  return operand_of<F, T>(static_cast<computed<T>>(x));
}
template <class T, class P> FLOWGRAPH_ALWAYS_INLINE T plain(const P& x) {
  if constexpr (requires { x.value; }) return T(x.value);
  else return T(x);
}

// The number of elements of a part of `size`: the part begins at `first`.
FLOWGRAPH_FUNCTION inline std::int64_t part_of(std::int64_t size, std::int64_t first) {
  const std::int64_t left = size - first;
  return left < elements_per_block ? left : std::int64_t{elements_per_block};
}

// The place of element i in an operand with these steps.
FLOWGRAPH_FUNCTION inline std::int64_t place_of(std::int64_t i, int rank, const std::int64_t* extents,
                                                const std::int64_t* steps) {
  std::int64_t at = 0;
  for (int axis = rank - 1; axis >= 0; --axis) {
    at += i % extents[axis] * steps[axis];
    i /= extents[axis];
  }
  return at;
}

// An element that is only moved.
template <int Bytes> struct moved;
template <> struct moved<1> {
  using type = std::uint8_t;
};
template <> struct moved<2> {
  using type = std::uint16_t;
};
template <> struct moved<4> {
  using type = std::uint32_t;
};
template <> struct moved<8> {
  using type = std::uint64_t;
};
struct sixteen_bytes {
  std::uint64_t low, high;
};
template <> struct moved<16> {
  using type = sixteen_bytes;
};

}
}
}  // namespace flowgraph::cuda
