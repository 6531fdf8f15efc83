#pragma once
// The types in which functors compute elements other than float and double.

#include <flowgraph/core/type.hpp>
#include <flowgraph/functors/numbers.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class T> inline constexpr bool is_half = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;

// The type in which numbers of type T are computed.
template <class T> using computed = std::conditional_t<is_half<T>, float, T>;
template <class T> inline constexpr bool is_complex = std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;

}  // namespace detail

namespace functor {

// Halves are computed as floats. Each result is rounded to a half.
template <class T>
  requires detail::is_half<T> struct functions<T> {
  static T divide(T x, T y) { return T(static_cast<float>(x) / static_cast<float>(y)); }
  static T floor(T x) { return T(functions<float>::floor(static_cast<float>(x))); }
  static T trunc(T x) { return T(functions<float>::trunc(static_cast<float>(x))); }
};

}  // namespace functor

}  // namespace flowgraph
