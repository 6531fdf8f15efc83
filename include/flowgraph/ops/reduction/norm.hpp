#pragma once
// The Euclidean norm: the square root of the sum of squares over some axes.

#include <flowgraph/ops/reduction/reduction.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Square root of the sum of squares along the axes. The squares of integers wrap around on overflow, as in TensorFlow.
struct euclidean_norm_op : reduction<euclidean_norm_op> {
  static constexpr std::string_view name = "EuclideanNorm";
  using types = reduction_types<numbers>;
  template <class T, class I> void operator()(cpu ctx, view<const T> x, index_view<I> axes, view<T> y) const;
  template <class T, class I> gradients_of<T, 2> gradient(out<T> x, out<I> axes, out<T> y, out<T> dy) const {
    if constexpr (is_differentiable(dtype_of<T>)) return {{x * detail::kept_axes(dy / y, x, axes, keep_dims), none}};
    else return {{none, none}};
  }
};

template <class T> out<T> euclidean_norm(out<T> x, site s = {}) { return detail::reduce_all(euclidean_norm_op{}, x, s); }
template <class T, reduction_axes A> out<T> euclidean_norm(out<T> x, const A& axes, bool keep_dims = false, site s = {}) {
  return detail::reduce(euclidean_norm_op{{keep_dims}}, x, axes, s);
}

using norm_ops = type_list<euclidean_norm_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/reduction/detail/norm.hpp>
#endif
