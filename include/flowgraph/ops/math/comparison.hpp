#pragma once
// Comparisons, logical operations, and selection between two tensors.

#include <flowgraph/functors/comparison.hpp>
#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/shared/elementwise.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The base of ops that compare pairs of elements. The operands are broadcast.
template <class Op> struct comparison {
  static constexpr op_facts base_facts{.not_differentiable = true, .elementwise = true};

  constexpr flowgraph::shape shape(shape_context& c, const flowgraph::shape& a, const flowgraph::shape& b) const {
    return detail::broadcast_shape(c, a, b);
  }
  template <class T> void operator()(cpu ctx, view<const T> a, view<const T> b, view<bool> y) const;
};

// Returns a < b for each element.
struct less_op : comparison<less_op> {
  static constexpr std::string_view name = "Less";
  static constexpr op_facts facts{.meaning = op_meaning::less};
  using types = real_numbers;
  using function = functor::less;
};
// Returns a <= b for each element.
struct less_equal_op : comparison<less_equal_op> {
  static constexpr std::string_view name = "LessEqual";
  static constexpr op_facts facts{.meaning = op_meaning::less_equal};
  using types = real_numbers;
  using function = functor::less_equal;
};
// Returns a > b for each element.
struct greater_op : comparison<greater_op> {
  static constexpr std::string_view name = "Greater";
  static constexpr op_facts facts{.meaning = op_meaning::greater};
  using types = real_numbers;
  using function = functor::greater;
};
// Returns a >= b for each element.
struct greater_equal_op : comparison<greater_equal_op> {
  static constexpr std::string_view name = "GreaterEqual";
  static constexpr op_facts facts{.meaning = op_meaning::greater_equal};
  using types = real_numbers;
  using function = functor::greater_equal;
};

// The base of Equal and NotEqual. If the shapes cannot be broadcast and `incompatible_shape_error` is set, an error is reported.
// If it is not set, such operands are not equal, and the result is a scalar.
template <class Op> struct equality {
  static constexpr op_facts base_facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& a, const flowgraph::shape& b) const {
    if (static_cast<const Op&>(*this).incompatible_shape_error) return detail::broadcast_shape(c, a, b);
    if (!a.is_known() || !b.is_known()) return flowgraph::shape::unknown();
    flowgraph::shape result;
    return flowgraph::broadcast(a, b, result) ? result : flowgraph::shape{};
  }
  template <class T> void operator()(cpu ctx, view<const T> a, view<const T> b, view<bool> y) const;
};

// Returns a == b for each element.
struct equal_op : equality<equal_op> {
  static constexpr std::string_view name = "Equal";
  static constexpr op_facts facts{.meaning = op_meaning::equal};
  using types = all_types;
  using function = functor::equal;
  bool incompatible_shape_error = true;
  static constexpr auto attrs = flowgraph::attrs(attr("incompatible_shape_error", &equal_op::incompatible_shape_error));
};
// Returns a != b for each element.
struct not_equal_op : equality<not_equal_op> {
  static constexpr std::string_view name = "NotEqual";
  static constexpr op_facts facts{.meaning = op_meaning::not_equal};
  using types = all_types;
  using function = functor::not_equal;
  bool incompatible_shape_error = true;
  static constexpr auto attrs = flowgraph::attrs(attr("incompatible_shape_error", &not_equal_op::incompatible_shape_error));
};

// Logical and of two tensors, element by element.
struct logical_and_op {
  static constexpr std::string_view name = "LogicalAnd";
  static constexpr op_facts facts{.not_differentiable = true, .in_place = true, .meaning = op_meaning::conjunction};

  constexpr flowgraph::shape shape(shape_context& c, const flowgraph::shape& a, const flowgraph::shape& b) const {
    return detail::broadcast_shape(c, a, b);
  }
  void operator()(cpu ctx, view<const bool> a, view<const bool> b, view<bool> y) const;
};
// Logical or of two tensors, element by element.
struct logical_or_op {
  static constexpr std::string_view name = "LogicalOr";
  static constexpr op_facts facts{.not_differentiable = true, .in_place = true, .meaning = op_meaning::disjunction};

  constexpr flowgraph::shape shape(shape_context& c, const flowgraph::shape& a, const flowgraph::shape& b) const {
    return detail::broadcast_shape(c, a, b);
  }
  void operator()(cpu ctx, view<const bool> a, view<const bool> b, view<bool> y) const;
};
// Logical not of each element.
struct logical_not_op {
  static constexpr std::string_view name = "LogicalNot";
  static constexpr op_facts facts{.not_differentiable = true, .in_place = true, .meaning = op_meaning::involution};

  constexpr flowgraph::shape shape(const flowgraph::shape& x) const { return x; }
  void operator()(cpu ctx, view<const bool> x, view<bool> y) const;
};

// Selects each element from `a` if the condition is true, otherwise from `b`. The condition has the shape of `a` and `b`, or it
// is a scalar or a vector that selects rows.
struct select_op {
  static constexpr std::string_view name = "Select";
  using types = all_types;
  static constexpr op_facts facts{.in_place = true, .meaning = op_meaning::choice};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& condition, const flowgraph::shape& a,
                         const flowgraph::shape& b) const;
  template <class T> void operator()(cpu ctx, view<const bool> condition, view<const T> a, view<const T> b, view<T> y) const;
  template <class T>
  std::tuple<none_type, any_grad, any_grad> gradient(out<bool> condition, out<T> a, out<T>, out<T>, out<T> dy) const {
    const out<T> zeros = zeros_like(a);
    return {none, any_grad(apply(select_op{}, condition, dy, zeros)), any_grad(apply(select_op{}, condition, zeros, dy))};
  }
};

// Selects each element from `a` if the condition is true, otherwise from `b`. The condition, `a` and `b` are broadcast.
struct select_v2_op {
  static constexpr std::string_view name = "SelectV2";
  using types = all_types;
  static constexpr op_facts facts{.in_place = true, .meaning = op_meaning::choice};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& condition, const flowgraph::shape& a,
                         const flowgraph::shape& b) const;
  template <class T> void operator()(cpu ctx, view<const bool> condition, view<const T> a, view<const T> b, view<T> y) const;
  template <class T>
  std::tuple<none_type, any_grad, any_grad> gradient(out<bool> condition, out<T> a, out<T> b, out<T>, out<T> dy) const {
    const out<T> zero = detail::constant_beside(dy, tensor<T>(T(0)));
    flowgraph::shape beside_a, beside_b;
    flowgraph::broadcast(condition.shape(), b.shape(), beside_a);
    flowgraph::broadcast(condition.shape(), a.shape(), beside_b);
    return {none, any_grad(detail::reduced_like(apply(select_v2_op{}, condition, dy, zero), a, beside_a)),
            any_grad(detail::reduced_like(apply(select_v2_op{}, condition, zero, dy), b, beside_b))};
  }
};

// Returns a == b for each element. b may be a scalar: equal(x, 0.f). The operator `==` compares handles, not their values.
template <class T> out<bool> equal(out<T> a, std::type_identity_t<operand<T>> b, site s = {});
// Returns a != b for each element. b may be a scalar.
template <class T> out<bool> not_equal(out<T> a, std::type_identity_t<operand<T>> b, site s = {});
// Returns a < b for each element. b may be a scalar.
template <class T> out<bool> less(out<T> a, std::type_identity_t<operand<T>> b, site s = {});
// Returns a <= b for each element. b may be a scalar.
template <class T> out<bool> less_equal(out<T> a, std::type_identity_t<operand<T>> b, site s = {});
// Returns a > b for each element. b may be a scalar.
template <class T> out<bool> greater(out<T> a, std::type_identity_t<operand<T>> b, site s = {});
// Returns a >= b for each element. b may be a scalar.
template <class T> out<bool> greater_equal(out<T> a, std::type_identity_t<operand<T>> b, site s = {});

// These are templates, so that a program that does not call them does not pay for them.

template <class T> out<bool> logical_and(out<T> a, out<T> b, site s = {}) {
  static_assert(is_fit<fit_of<logical_and_op, out<T>, out<T>>>);
  return detail::apply_deduced(s, logical_and_op{}, a, b);
}
template <class T> out<bool> logical_or(out<T> a, out<T> b, site s = {}) {
  static_assert(is_fit<fit_of<logical_or_op, out<T>, out<T>>>);
  return detail::apply_deduced(s, logical_or_op{}, a, b);
}
template <class T> out<bool> logical_not(out<T> x, site s = {}) {
  static_assert(is_fit<fit_of<logical_not_op, out<T>>>);
  return detail::apply_deduced(s, logical_not_op{}, x);
}

// Selects each element from `a` if the condition is true, otherwise from `b`. The condition, `a` and `b` are broadcast.
template <class T> out<T> select(out<bool> condition, out<T> a, out<T> b, site s = {}) {
  return apply(select_v2_op{}, condition, a, b, s);
}

using comparison_ops = type_list<less_op, less_equal_op, greater_op, greater_equal_op, equal_op, not_equal_op, logical_and_op,
                                 logical_or_op, logical_not_op, select_op, select_v2_op>;

}  // namespace flowgraph

#include <flowgraph/ops/shared/detail/gradients.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/math/impl/comparison.hpp>
#endif
#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/math/detail/comparison.hpp>
#endif
