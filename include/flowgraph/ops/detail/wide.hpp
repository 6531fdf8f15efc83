#pragma once
// What sums of elements are kept in: halves in float, integers so that they wrap around.

#include <flowgraph/ops/detail/number.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class T>
struct wide_number : number<T> {};
template <>
struct wide_number<half> {
  using type = float;
  static constexpr half value(float x) { return half(x); }
};
template <>
struct wide_number<bfloat16> {
  using type = float;
  static constexpr bfloat16 value(float x) { return bfloat16(x); }
};
template <class T>
using wide = typename wide_number<T>::type;

template <class T>
constexpr wide<T> widened(T x) {
  return wide<T>(x);
}
template <class T>
constexpr T narrowed(const wide<T>& x) {
  return wide_number<T>::value(x);
}

}  // namespace detail

}  // namespace flowgraph
