#pragma once
// Rounding, clipping, and tests of numbers: finite, infinite, NaN, approximately equal.

#include <flowgraph/functors/rounding.hpp>
#include <flowgraph/ops/math/math.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Rounds each element up. The result is constant almost everywhere, so there is no gradient.
struct ceil_op : unary_elementwise<ceil_op> {
  static constexpr std::string_view name = "Ceil";
  using types = floating;
  using function = functor::ceil;
  template <class T> none_type gradient(out<T>, out<T>, out<T>) const { return none; }
};

// Rounds each element to the nearest integer. Halfway cases round to the even integer.
struct rint_op : unary_elementwise<rint_op> {
  static constexpr std::string_view name = "Rint";
  using types = type_list<float, double>;
  using function = functor::rint;
  template <class T> none_type gradient(out<T>, out<T>, out<T>) const { return none; }
};
// Rounds each element to the nearest integer. Halfway cases round to the even integer.
struct round_op : unary_elementwise<round_op> {
  static constexpr std::string_view name = "Round";
  using types = joined<floating, index_types>;
  using function = functor::rint;
  template <class T> none_type gradient(out<T>, out<T>, out<T>) const { return none; }
};

namespace detail {

enum class float_question : std::uint8_t { finite, infinite, not_a_number };

template <class Op> struct float_test {
  static constexpr op_facts base_facts{.not_differentiable = true, .elementwise = true};
  using types = floating;

  constexpr flowgraph::shape shape(const flowgraph::shape& x) const { return x; }
  template <class T> void operator()(cpu ctx, view<const T> x, view<bool> y) const;
};

}  // namespace detail

// Returns whether each element is neither infinite nor NaN.
struct is_finite_op : detail::float_test<is_finite_op> {
  static constexpr std::string_view name = "IsFinite";
  static constexpr auto question = detail::float_question::finite;
};
// Returns whether each element is infinite.
struct is_inf_op : detail::float_test<is_inf_op> {
  static constexpr std::string_view name = "IsInf";
  static constexpr auto question = detail::float_question::infinite;
};
// Returns whether each element is NaN.
struct is_nan_op : detail::float_test<is_nan_op> {
  static constexpr std::string_view name = "IsNan";
  static constexpr auto question = detail::float_question::not_a_number;
};

// Returns the next representable number after x1 in the direction of x2.
struct next_after_op : binary_elementwise<next_after_op> {
  static constexpr std::string_view name = "NextAfter";
  using types = type_list<float, double>;
  using function = functor::next_after;
  template <class T> gradients_of<T, 2> gradient(out<T> x1, out<T> x2, out<T>, out<T> dy) const {
    return detail::unbroadcast(x1, x2, dy, zeros_like(dy));
  }
};

// Limits each element to the range between two bounds. Elements below the lower bound become the lower bound, even if the lower
// bound is above the upper bound; elements above the upper bound become the upper bound. NaN remains NaN. A bound is a scalar or
// has the shape of x. For complex numbers, the real and the imaginary part are limited separately.
struct clip_by_value_op {
  static constexpr std::string_view name = "ClipByValue";
  using types = joined<floating, signed_integers, type_list<std::uint8_t, std::uint16_t>, complex_numbers>;
  static constexpr op_facts facts{.in_place = true, .elementwise = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& low,
                         const flowgraph::shape& high) const;
  template <class T> void operator()(cpu ctx, view<const T> x, view<const T> low, view<const T> high, view<T> y) const;
  template <class T> gradients_of<T, 3> gradient(out<T> x, out<T> low, out<T> high, out<T>, out<T> dy) const {
    if constexpr (in_list<T, complex_numbers>) {
      return {{none, none, none}};
    } else {
      const out<bool> below = less(x, low), above = greater(x, high);
      const out<T> zeros = zeros_like(dy);
      return {{select(logical_or(below, above), zeros, dy), detail::reduced_like(select(below, dy, zeros), low, x.shape()),
               detail::reduced_like(select(above, dy, zeros), high, x.shape())}};
    }
  }
};

// Returns whether |x - y| is less than the tolerance, for two inputs of the same shape.
struct approximate_equal_op {
  static constexpr std::string_view name = "ApproximateEqual";
  using types = type_list<float, double>;
  static constexpr op_facts facts{.not_differentiable = true, .elementwise = true};
  float tolerance = 1e-5f;
  static constexpr auto attrs = flowgraph::attrs(attr("tolerance", &approximate_equal_op::tolerance));

  constexpr flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& y) const {
    return detail::paired_shape(c, x, y);
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const T> y, view<bool> z) const;
};

template <class T> out<T> ceil(out<T> x, site s = {}) { return apply(ceil_op{}, x, s); }
template <class T> out<T> rint(out<T> x, site s = {}) { return apply(rint_op{}, x, s); }
template <class T> out<T> round(out<T> x, site s = {}) { return apply(round_op{}, x, s); }
template <class T> out<bool> is_finite(out<T> x, site s = {}) { return apply(is_finite_op{}, x, s); }
template <class T> out<bool> is_inf(out<T> x, site s = {}) { return apply(is_inf_op{}, x, s); }
template <class T> out<bool> is_nan(out<T> x, site s = {}) { return apply(is_nan_op{}, x, s); }
template <class T> out<T> next_after(out<T> x1, std::type_identity_t<operand<T>> x2, site s = {}) {
  return detail::apply_operands(next_after_op{}, {x1, s.location}, x2, s);
}
template <class T> out<bool> approximate_equal(out<T> x, out<T> y, float tolerance = 1e-5f, site s = {}) {
  return apply(approximate_equal_op{tolerance}, x, y, s);
}

using rounding_ops = type_list<ceil_op, rint_op, round_op, is_finite_op, is_inf_op, is_nan_op, next_after_op, clip_by_value_op,
                               approximate_equal_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/math/detail/rounding.hpp>
#endif
