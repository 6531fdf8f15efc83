#pragma once
// Operators on handles: x * 2.f + y, -x, x < 0.f. A scalar operand becomes a constant at the user's line.

#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/math/math.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class T> out<T> handle_of(const operand<T>& o, const operand<T>& beside, std::string_view name) {
  if (!o.is_scalar) return {o.source, o.port};
  return constant_beside(any_out{beside.source, beside.port}, tensor<T>(o.scalar), {name, o.location});
}

// Returns the handle of an operand. A scalar becomes a constant that is named after the op.
template <class T> out<T> operand_of(std::string_view op, const operand<T>& o, const operand<T>& beside, std::string_view part) {
  if (!o.is_scalar) return {o.source, o.port};
  return handle_of(o, beside, message{op, part}.string());
}

template <class Op, class T> auto apply_operands(const Op& op, const operand<T>& a, const operand<T>& b, const site& s) {
  const std::string_view name = s.name.empty() ? Op::name : s.name;
  return apply(op, operand_of(name, a, b, "/x"), operand_of(name, b, a, "/y"), s);
}
template <class Op, class T> auto apply_operands(const Op& op, const operand<T>& a, const operand<T>& b) {
  return apply_operands(op, a, b, {{}, a.location});
}

template <class T> out<T> add_operands(const operand<T>& a, const operand<T>& b) {
  if constexpr (std::is_same_v<T, std::string>) return apply_operands(add_v1_op{}, a, b);
  else return apply_operands(add_v2_op{}, a, b);
}
template <class T> out<T> subtract_operands(const operand<T>& a, const operand<T>& b) { return apply_operands(sub_op{}, a, b); }
template <class T> out<T> multiply_operands(const operand<T>& a, const operand<T>& b) { return apply_operands(mul_op{}, a, b); }
// Divides as C++ does: integers are rounded toward zero.
template <class T> out<T> divide_operands(const operand<T>& a, const operand<T>& b) {
  if constexpr (is_differentiable(dtype_of<T>)) return apply_operands(real_div_op{}, a, b);
  else return apply_operands(div_op{}, a, b);
}
template <class T> out<T> negate_operand(const operand<T>& a) {
  return apply(neg_op{}, out<T>{a.source, a.port}, {{}, a.location});
}
template <class T> out<bool> less_operands(const operand<T>& a, const operand<T>& b) { return apply_operands(less_op{}, a, b); }
template <class T> out<bool> less_equal_operands(const operand<T>& a, const operand<T>& b) {
  return apply_operands(less_equal_op{}, a, b);
}

}  // namespace detail

template <class T> out<T> maximum(out<T> a, std::type_identity_t<operand<T>> b, site s) {
  return detail::apply_operands(maximum_op{}, {a, s.location}, b, s);
}
template <class T> out<T> minimum(out<T> a, std::type_identity_t<operand<T>> b, site s) {
  return detail::apply_operands(minimum_op{}, {a, s.location}, b, s);
}
template <class T> out<T> squared_difference(out<T> a, std::type_identity_t<operand<T>> b, site s) {
  return detail::apply_operands(squared_difference_op{}, {a, s.location}, b, s);
}

template <class T> out<bool> equal(out<T> a, std::type_identity_t<operand<T>> b, site s) {
  return detail::apply_operands(equal_op{}, {a, s.location}, b, s);
}
template <class T> out<bool> not_equal(out<T> a, std::type_identity_t<operand<T>> b, site s) {
  return detail::apply_operands(not_equal_op{}, {a, s.location}, b, s);
}
template <class T> out<bool> less(out<T> a, std::type_identity_t<operand<T>> b, site s) {
  return detail::apply_operands(less_op{}, {a, s.location}, b, s);
}
template <class T> out<bool> less_equal(out<T> a, std::type_identity_t<operand<T>> b, site s) {
  return detail::apply_operands(less_equal_op{}, {a, s.location}, b, s);
}
template <class T> out<bool> greater(out<T> a, std::type_identity_t<operand<T>> b, site s) {
  return detail::apply_operands(greater_op{}, {a, s.location}, b, s);
}
template <class T> out<bool> greater_equal(out<T> a, std::type_identity_t<operand<T>> b, site s) {
  return detail::apply_operands(greater_equal_op{}, {a, s.location}, b, s);
}

}  // namespace flowgraph

#include <flowgraph/ops/reduction/detail/product_gradient.hpp>
#include <flowgraph/ops/shared/detail/gradients.hpp>
