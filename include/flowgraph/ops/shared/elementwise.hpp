#pragma once
// Element-wise ops: a functor defines an op for all element types and all instruction-set levels.
//
//     struct swish_op : unary_elementwise<swish_op> {
//       static constexpr std::string_view name = "Swish";
//       using types = floating;
//       using function = swish;                        // template <class P> static P packet(P x), see functors/functions.hpp
//       template <class T> out<T> gradient(out<T> x, out<T> y, out<T> dy) const;
//     };
//
// A binary op may have a function `template <class T> static bool check(cpu ctx, view<const T> b)` for some types. The kernel calls
// it with the second operand, unless the result is empty; if it returns false, it has reported an error.
//
// If `complex_function` exists, it replaces `function` for complex numbers. A functor with the member `static constexpr bool
// by_number = true` is only called for plain numbers, and may use the standard library. Programs with their own ops must also
// include <flowgraph/ops/shared/elementwise_kernels.hpp>.

#include <flowgraph/functors/functions.hpp>
#include <flowgraph/ops/array/broadcast.hpp>
#include <flowgraph/ops/shared/element_program.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// y[i] = f(x[i])
template <class Op> struct unary_elementwise {
  static constexpr op_facts base_facts{.in_place = true, .elementwise = true};
  static constexpr const detail::element_function* in_group = detail::element_function_of_op<Op>();

  constexpr flowgraph::shape shape(const flowgraph::shape& x) const { return x; }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
};

// y = f(a, b). The operands are broadcast as in TensorFlow.
template <class Op> struct binary_elementwise {
  static constexpr op_facts base_facts{.in_place = true, .elementwise = true};
  static constexpr const detail::element_function* in_group = detail::element_function_of_op<Op>();

  constexpr flowgraph::shape shape(shape_context& c, const flowgraph::shape& a, const flowgraph::shape& b) const;
  template <class T> void operator()(cpu ctx, view<const T> a, view<const T> b, view<T> y) const;
};

// y[i] = f(a[i], b[i]) for two inputs of the same shape. The gradients of element-wise ops use this form.
template <class Op> struct paired_elementwise {
  static constexpr op_facts base_facts{.in_place = true, .elementwise = true};
  static constexpr const detail::element_function* in_group = detail::element_function_of_op<Op>();

  constexpr flowgraph::shape shape(shape_context& c, const flowgraph::shape& a, const flowgraph::shape& b) const;
  template <class T> void operator()(cpu ctx, view<const T> a, view<const T> b, view<T> y) const;
};

template <class Op>
constexpr flowgraph::shape binary_elementwise<Op>::shape(shape_context& c, const flowgraph::shape& a,
                                                         const flowgraph::shape& b) const {
  return detail::broadcast_shape(c, a, b);
}
template <class Op>
constexpr flowgraph::shape paired_elementwise<Op>::shape(shape_context& c, const flowgraph::shape& a,
                                                         const flowgraph::shape& b) const {
  return detail::paired_shape(c, a, b);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/shared/detail/elementwise.hpp>
#endif
