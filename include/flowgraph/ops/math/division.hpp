#pragma once
// Division that rounds down or toward zero, and the remainders of such divisions. Division of integers by zero is an error.

#include <flowgraph/functors/division.hpp>
#include <flowgraph/ops/math/math.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class Op> struct division : binary_elementwise<Op> {
  using types = real_numbers;
  template <std::integral T> static bool check(cpu ctx, view<const T> divisor) { return check_divisor(ctx, divisor); }
};
// Checks the divisor of the truncating ops. As in TensorFlow, these ops return a different error code.
template <std::integral T> bool check_truncating_divisor(cpu ctx, view<const T> divisor);
// The base of ops whose result is rounded. Therefore, these ops have no gradient.
template <class Op> struct rounding_division : division<Op> {
  template <class T> gradients_of<T, 2> gradient(out<T>, out<T>, out<T>, out<T>) const { return {{none, none}}; }
};
template <class Op> struct truncated_remainder : division<Op> {
  using types = joined<type_list<float, double>, index_types>;
  using function = functor::truncate_mod;
  static constexpr op_facts base_facts = division<Op>::base_facts.with({.not_differentiable = true});
};

}  // namespace detail

// Divides x by y and rounds down.
struct floor_div_op : detail::rounding_division<floor_div_op> {
  static constexpr std::string_view name = "FloorDiv";
  static constexpr op_facts facts{.meaning = op_meaning::floor_quotient};
  using function = functor::floor_div;
};

// Remainder of the division that rounds down: x - y floor(x / y). It has the sign of y.
struct floor_mod_op : detail::division<floor_mod_op> {
  static constexpr std::string_view name = "FloorMod";
  static constexpr op_facts facts{.meaning = op_meaning::floor_remainder};
  using function = functor::floor_mod;
  template <class T> gradients_of<T, 2> gradient(out<T> x, out<T> y, out<T>, out<T> dz) const {
    return detail::unbroadcast(x, y, dz, dz * -floor_div(x, y));
  }
};

// Divides x by y and rounds toward zero.
struct truncate_div_op : detail::rounding_division<truncate_div_op> {
  static constexpr std::string_view name = "TruncateDiv";
  using function = functor::truncate_div;
  template <std::integral T> static bool check(cpu ctx, view<const T> divisor) {
    return detail::check_truncating_divisor(ctx, divisor);
  }
};

// Remainder of the division that rounds toward zero. It has the sign of x.
struct truncate_mod_op : detail::truncated_remainder<truncate_mod_op> {
  static constexpr std::string_view name = "TruncateMod";
  template <std::integral T> static bool check(cpu ctx, view<const T> divisor) {
    return detail::check_truncating_divisor(ctx, divisor);
  }
};
// Remainder with the sign of the dividend.
struct mod_op : detail::truncated_remainder<mod_op> {
  static constexpr std::string_view name = "Mod";
};

// One operand may be a scalar: floor_div(x, 7).
template <class T> out<T> floor_div(out<T> x, std::type_identity_t<operand<T>> y, site s = {}) {
  return detail::apply_operands(floor_div_op{}, {x, s.location}, y, s);
}
template <class T> out<T> floor_mod(out<T> x, std::type_identity_t<operand<T>> y, site s = {}) {
  return detail::apply_operands(floor_mod_op{}, {x, s.location}, y, s);
}
template <class T> out<T> truncate_div(out<T> x, std::type_identity_t<operand<T>> y, site s = {}) {
  return detail::apply_operands(truncate_div_op{}, {x, s.location}, y, s);
}
template <class T> out<T> truncate_mod(out<T> x, std::type_identity_t<operand<T>> y, site s = {}) {
  return detail::apply_operands(truncate_mod_op{}, {x, s.location}, y, s);
}

using division_ops = type_list<floor_div_op, floor_mod_op, truncate_div_op, truncate_mod_op, mod_op>;

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/math/detail/division.hpp>
#endif
