#pragma once
// The gradients of reductions and of broadcasting, which undo each other. They depend on the shapes of the graph, or if these are
// not known on shapes at run time.

#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/transpose.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/shared/detail/gradients.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

template <class T> FLOWGRAPH_COLD out<T> reduced_like(const out<T>& gradient, const out<T>& x, const shape& other) {
  const repeated_axes repeated = find_repeated(gradient.shape(), x.shape(), other);
  if (!repeated.known) {
    const auto axes = std::get<0>(apply(broadcast_gradient_args_op{}, shape_of(x), shape_of(gradient)));
    return reshape(apply(sum_op{}, gradient, axes), shape_of(x));
  }
  int axes[shape::max_rank], count = 0;
  out<T> output = gradient;
  for (int axis = 0; axis < repeated.leading; ++axis) axes[count++] = axis;
  if (count > 0) output = sum(output, std::span<const int>(axes, static_cast<std::size_t>(count)));
  count = 0;
  for (const std::int64_t axis : repeated.ones) axes[count++] = static_cast<int>(axis);
  if (count > 0) output = sum(output, std::span<const int>(axes, static_cast<std::size_t>(count)), true);
  return output;
}

// Returns y, a reduction of x, with an axis of extent 1 for each reduced axis, so that it broadcasts to x.
template <class T, class U, class I> out<T> kept_axes(const out<T>& y, const out<U>& x, const out<I>& axes, bool kept) {
  if (kept) return y;
  const reduced_axes gone = known_axes(x.shape(), constant_value(axes));
  if (!gone.known) return reshape(out<T>(y), shape_of(apply(sum_op{{{true}}}, x, axes)));
  shape extents = x.shape();
  int unknown = 0, leading = 0, count = 0;
  for (int axis = 0; axis < extents.rank; ++axis) {
    if (gone.reduced[axis]) {
      extents[axis] = 1;
      if (leading == axis) ++leading;
      ++count;
    }
    unknown += extents[axis] < 0 ? 1 : 0;
  }
  if (leading == count) return y;
  if (unknown == 0) return reshape(out<T>(y), extents);
  out<T> output = y;
  for (int axis = 0; axis < extents.rank; ++axis)
    if (gone.reduced[axis]) output = expand_dims(output, axis);
  return output;
}

// Repeats dy, the gradient of a sum of x, for each element of x.
template <class T, class I> out<T> repeated_like(const out<T>& dy, const out<T>& x, const out<I>& axes, bool kept) {
  const out<T> y = kept_axes(dy, x, axes, kept);
  if (x.shape().is_known()) return y.shape() == x.shape() ? y : broadcast_to(y, x.shape());
  return broadcast_to(y, shape_of(x));
}

template <class T> T number_as(std::int64_t n) {
  if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>) return T(static_cast<typename T::value_type>(n));
  else if constexpr (std::is_same_v<T, double>) return static_cast<double>(n);
  else return T(static_cast<float>(n));
}

// Returns the number of elements of x per element of its mean.
template <class T, class I> out<T> elements_per_result(const out<T>& x, const out<I>& axes, const out<T>& y) {
  const reduced_axes gone = known_axes(x.shape(), constant_value(axes));
  std::int64_t count = gone.known ? 1 : -1;
  for (int axis = 0; gone.known && axis < x.shape().rank; ++axis)
    if (gone.reduced[axis]) count = count < 0 || x.shape()[axis] < 0 ? -1 : count * x.shape()[axis];
  if (count >= 0) return scalar_beside(x, number_as<T>(count));
  return cast<T>(size_of(x) / maximum(size_of(y), 1));
}

template <class T, class I> out<T> extreme_gradient(const out<T>& x, const out<I>& axes, const out<T>& y, const out<T>& dy) {
  const out<T> chosen = cast<T>(equal(y, x));
  return chosen / apply(sum_op{{{true}}}, chosen, axes) * dy;
}

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#endif
