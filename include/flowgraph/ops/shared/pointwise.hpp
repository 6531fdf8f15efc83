#pragma once
// Element-wise ops whose functions are too long for packets. They are computed one number at a time; half types are computed as
// floats.
//
//     struct spence_op : unary_pointwise<spence_op> {
//       static constexpr std::string_view name = "Spence";
//       using types = type_list<float, double>;
//       using function = functor::spence;                 // called for float and double; defined with the kernels
//       template <class T> out<T> gradient(out<T> x, out<T> y, out<T> dy) const;
//     };

#include <flowgraph/ops/array/broadcast.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// y[i] = f(x[i])
template <class Op> struct unary_pointwise {
  static constexpr op_facts base_facts{.in_place = true, .elementwise = true};

  constexpr flowgraph::shape shape(const flowgraph::shape& x) const { return x; }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
};

// y = f(a, b). The operands are broadcast.
template <class Op> struct binary_pointwise {
  static constexpr op_facts base_facts{.in_place = true, .elementwise = true};

  constexpr flowgraph::shape shape(shape_context& c, const flowgraph::shape& a, const flowgraph::shape& b) const {
    return detail::broadcast_shape(c, a, b);
  }
  template <class T> void operator()(cpu ctx, view<const T> a, view<const T> b, view<T> y) const;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/shared/detail/pointwise.hpp>
#endif
