#pragma once
// Bitwise operations on integers.

#include <flowgraph/ops/shared/elementwise.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

enum class bit_function : std::uint8_t { both, either, one, left, right };

// The base of ops with two operands, which are broadcast.
template <class Op> struct bitwise : binary_elementwise<Op> {
  using types = integers;
  static constexpr op_facts base_facts = binary_elementwise<Op>::base_facts.with({.not_differentiable = true});
  template <class T> void operator()(cpu ctx, view<const T> a, view<const T> b, view<T> y) const;
};

}  // namespace detail

// Bitwise and of two integers: the bits that are set in both.
struct bitwise_and_op : detail::bitwise<bitwise_and_op> {
  static constexpr std::string_view name = "BitwiseAnd";
  static constexpr auto function = detail::bit_function::both;
};
// Bitwise or of two integers: the bits that are set in at least one.
struct bitwise_or_op : detail::bitwise<bitwise_or_op> {
  static constexpr std::string_view name = "BitwiseOr";
  static constexpr auto function = detail::bit_function::either;
};
// Bitwise exclusive or of two integers: the bits that are set in exactly one.
struct bitwise_xor_op : detail::bitwise<bitwise_xor_op> {
  static constexpr std::string_view name = "BitwiseXor";
  static constexpr auto function = detail::bit_function::one;
};

// Shifts `a` to the left by `b` bits. `b` is limited to the range from 0 to the number of bits minus one.
struct left_shift_op : detail::bitwise<left_shift_op> {
  static constexpr std::string_view name = "LeftShift";
  static constexpr auto function = detail::bit_function::left;
};
// Shifts `a` to the right by `b` bits. `b` is limited to the range from 0 to the number of bits minus one. Signed numbers keep
// their sign.
struct right_shift_op : detail::bitwise<right_shift_op> {
  static constexpr std::string_view name = "RightShift";
  static constexpr auto function = detail::bit_function::right;
};

// Bitwise not of an integer: every bit is inverted.
struct invert_op : unary_elementwise<invert_op> {
  static constexpr std::string_view name = "Invert";
  using types = integers;
  static constexpr op_facts facts{.not_differentiable = true, .meaning = op_meaning::involution};
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
};

// Returns the number of set bits of each element.
struct population_count_op {
  static constexpr std::string_view name = "PopulationCount";
  using types = integers;
  static constexpr op_facts facts{.not_differentiable = true, .elementwise = true};

  constexpr flowgraph::shape shape(const flowgraph::shape& x) const { return x; }
  template <class T> void operator()(cpu ctx, view<const T> x, view<std::uint8_t> y) const;
};

template <class T> out<T> bitwise_and(out<T> a, out<T> b, site s = {}) { return apply(bitwise_and_op{}, a, b, s); }
template <class T> out<T> bitwise_or(out<T> a, out<T> b, site s = {}) { return apply(bitwise_or_op{}, a, b, s); }
template <class T> out<T> bitwise_xor(out<T> a, out<T> b, site s = {}) { return apply(bitwise_xor_op{}, a, b, s); }
template <class T> out<T> left_shift(out<T> x, out<T> by, site s = {}) { return apply(left_shift_op{}, x, by, s); }
template <class T> out<T> right_shift(out<T> x, out<T> by, site s = {}) { return apply(right_shift_op{}, x, by, s); }
template <class T> out<T> invert(out<T> x, site s = {}) { return apply(invert_op{}, x, s); }
template <class T> out<std::uint8_t> population_count(out<T> x, site s = {}) { return apply(population_count_op{}, x, s); }

using bitwise_ops =
    type_list<bitwise_and_op, bitwise_or_op, bitwise_xor_op, left_shift_op, right_shift_op, invert_op, population_count_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/math/detail/bitwise.hpp>
#endif
