#pragma once

#include <flowgraph/ops/array/broadcast.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns an extent of a shape that an input contains as a vector: aligned to the right, with ones in front.
template <class T> std::int64_t extent_from_right(view<const T> s, std::size_t i) {
  return i < s.size() ? static_cast<std::int64_t>(s[s.size() - 1 - i]) : 1;
}

}  // namespace detail

template <class T>
void broadcast_gradient_args_op::operator()(cpu ctx, view<const T> s0, view<const T> s1, unsized<T> r0, unsized<T> r1) const {
  if (s0.rank() != 1 || s1.rank() != 1)
    return ctx.fail(message{"expected two shapes as vectors, found tensors of shape ", s0.shape(), " and ", s1.shape()});
  const std::size_t rank = std::max(s0.size(), s1.size());
  if (rank > static_cast<std::size_t>(flowgraph::shape::max_rank))
    return ctx.fail(message{"a shape has more than ", flowgraph::shape::max_rank, " axes"});
  const bool equal = s0.size() == s1.size() && std::equal(s0.begin(), s0.end(), s1.begin());
  T axes[2][flowgraph::shape::max_rank];
  std::size_t count[2] = {};
  for (std::size_t i = rank; i-- > 0 && !equal;) {
    const std::int64_t extents[2] = {detail::extent_from_right(s0, i), detail::extent_from_right(s1, i)};
    if (extents[0] != extents[1] && extents[0] != 1 && extents[1] != 1)
      return ctx.fail(message{"incompatible shapes: ", extents[0], " and ", extents[1], " at axis ", rank - 1 - i});
    for (int k = 0; k < 2; ++k)
      if (extents[k] == 1) axes[k][count[k]++] = static_cast<T>(rank - 1 - i);
  }
  unsized<T>* results[2] = {&r0, &r1};
  for (int k = 0; k < 2; ++k) {
    view<T> y = results[k]->resize(flowgraph::shape{count[k]});
    if (ctx.failed()) return;
    std::copy_n(axes[k], count[k], y.begin());
  }
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
