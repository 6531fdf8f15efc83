#pragma once
// Cross products of vectors in space.
//
//   const auto normal = fg::cross(u, v);  // u and v: [..., 3]

#include <flowgraph/ops/operators.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns the cross product of vectors of three elements, which are along the last axis.
struct cross_op {
  static constexpr std::string_view name = "Cross";
  using types = real_numbers;

  constexpr flowgraph::shape shape(shape_context& c, const flowgraph::shape& a, const flowgraph::shape& b) const {
    if (!fits(a, b)) return c.fail("expected two tensors of the same shape");
    if (a.rank == 0 || b.rank == 0) return c.fail("expected at least one axis");
    return merged(a, b);
  }
  template <class T> void operator()(cpu ctx, view<const T> a, view<const T> b, view<T> y) const;
  template <class T> gradients_of<T, 2> gradient(out<T> a, out<T> b, out<T>, out<T> dy) const;
};

// a and b have the same shape, and their last axis has three elements.
template <class T> out<T> cross(const out<T>& a, const std::type_identity_t<out<T>>& b, site s = {}) {
  return apply(cross_op{}, a, b, s);
}

using cross_ops = type_list<cross_op>;

template <class T> gradients_of<T, 2> cross_op::gradient(out<T> a, out<T> b, out<T>, out<T> dy) const {
  return {{cross(b, dy), cross(dy, a)}};
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/linear_algebra/detail/cross.hpp>
#endif
