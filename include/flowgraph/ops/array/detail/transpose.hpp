#pragma once

#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/array/transpose.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns the inverse of a permutation of 0 .. rank - 1; a shape of unknown rank if `perm` is no permutation.
constexpr shape inverse_of(const shape& perm) {
  if (!perm.has_rank()) return perm;
  shape inverse = shape::unknown_of_rank(perm.rank);
  for (int i = 0; i < perm.rank; ++i) {
    if (perm[i] < 0 || perm[i] >= perm.rank || inverse[static_cast<int>(perm[i])] >= 0) return shape::unknown();
    inverse[static_cast<int>(perm[i])] = i;
  }
  return inverse;
}

template <class T> void move_axes(cpu ctx, view<const T> x, const any_indices& perm, view<T> y) {
  const shape steps = row_major_steps(x.shape());
  strided_axes axes;
  for (int i = 0; i < y.rank(); ++i) {
    const auto axis = static_cast<int>(perm[i]);
    axes.push(y.dim(i), steps[axis < 0 ? axis + x.rank() : axis]);
  }
  copy_strided(ctx, layout_of<T>, x.data(), axes, y.data());
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape transpose_op::shape(shape_context& c, const flowgraph::shape& x,
                                                                 const flowgraph::shape& perm) const {
  using flowgraph::shape;
  shape order = detail::vector_of_integers(c, 1, perm, "perm", x.rank);
  if (c.failed()) return order;
  if (!order.has_rank()) {
    const std::int64_t rank = x.has_rank() ? x.rank : perm.rank == 1 ? perm[0] : -1;
    return rank >= 0 ? shape::unknown_of_rank(static_cast<int>(rank)) : shape::unknown();
  }
  for (int i = 0; i < order.rank; ++i) order[i] = order[i] < 0 ? order[i] + order.rank : order[i];
  if (!detail::inverse_of(order).has_rank()) return c.fail(message{"perm must name every axis once, found ", c.integers(1)});
  if (!x.has_rank()) return shape::unknown_of_rank(order.rank);
  shape result;
  for (const std::int64_t axis : order) result.push_back(x[static_cast<int>(axis)]);
  return result;
}

template <class T, class I> void transpose_op::operator()(cpu ctx, view<const T> x, index_view<I> perm, view<T> y) const {
  detail::move_axes(ctx, x, perm, y);
}

template <class T, class I>
void conjugate_transpose_op::operator()(cpu ctx, view<const T> x, index_view<I> perm, view<T> y) const {
  detail::move_axes(ctx, x, perm, y);
  if constexpr (in_list<T, complex_numbers>) {
    ctx.parallel_ranges(static_cast<std::int64_t>(y.size()), detail::moved_per_block, [&](std::int64_t first, std::int64_t last) {
      for (T* e = y.data() + first; e != y.data() + last; ++e) *e = std::conj(*e);
    });
  }
}

template <class I> void invert_permutation_op::operator()(cpu ctx, view<const I> x, view<I> y) const {
  std::fill(y.begin(), y.end(), I{-1});
  for (std::size_t i = 0; i < x.size(); ++i) {
    const I at = x[i];
    if (at < 0 || static_cast<std::size_t>(at) >= x.size() || y[static_cast<std::size_t>(at)] >= 0)
      return ctx.fail(message{"element ", i, " of the permutation is ", at, ": out of range or there twice"});
    y[static_cast<std::size_t>(at)] = static_cast<I>(i);
  }
}

FLOWGRAPH_KERNEL_INLINE shape detail::known_inverse(const any_tensor* perm) {
  const shape_context values(&perm, 1);
  return inverse_of(values.integers(0));
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape tile_op::shape(shape_context& c, const flowgraph::shape& x,
                                                            const flowgraph::shape& multiples) const {
  using flowgraph::shape;
  const shape times = detail::vector_of_integers(c, 1, multiples, "multiples", x.rank);
  if (c.failed()) return times;
  if (!x.has_rank()) return multiples.rank == 1 && multiples[0] >= 0 ? shape::unknown_of_rank(static_cast<int>(multiples[0])) : x;
  shape result = shape::unknown_of_rank(x.rank);
  for (int i = 0; i < x.rank && times.has_rank(); ++i) {
    if (times[i] < 0) return c.fail(message{"multiples must not be negative, found ", times});
    const std::int64_t both[]{times[i], x[i] < 0 ? 0 : x[i]};
    const std::int64_t extent = detail::checked_product(both, both + 2);
    if (extent < 0) return c.fail("expected smaller multiples");
    if (x[i] >= 0) result[i] = extent;
  }
  return result;
}

template <class T, class I> void tile_op::operator()(cpu ctx, view<const T> x, index_view<I> multiples, view<T> y) const {
  const flowgraph::shape steps = detail::row_major_steps(x.shape());
  detail::strided_axes axes;
  for (int i = 0; i < x.rank(); ++i) {
    axes.push(multiples[i], 0);
    axes.push(x.dim(i), steps[i]);
  }
  detail::copy_strided(ctx, detail::layout_of<T>, x.data(), axes, y.data());
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape broadcast_to_op::shape(shape_context& c, const flowgraph::shape& x,
                                                                    const flowgraph::shape& wanted) const {
  using flowgraph::shape;
  const shape result = detail::vector_of_integers(c, 1, wanted, "shape");
  if (c.failed()) return result;
  if (!result.has_rank())
    return wanted.rank == 1 && wanted[0] >= 0 ? shape::unknown_of_rank(static_cast<int>(wanted[0])) : result;
  for (const std::int64_t extent : result)
    if (extent < 0) return c.fail(message{"shape must not be negative, found ", result});
  if (x.rank > result.rank) return c.fail(message{"shape ", result, " must have at least as many axes as the input"});
  for (int i = 0; i < x.rank; ++i)
    if (const std::int64_t extent = result[result.rank - x.rank + i]; x[i] >= 0 && x[i] != 1 && x[i] != extent)
      return c.fail(message{"the input cannot be broadcast to shape ", result});
  return result;
}

template <class T, class I> void broadcast_to_op::operator()(cpu ctx, view<const T> x, index_view<I>, view<T> y) const {
  const flowgraph::shape steps = detail::row_major_steps(x.shape());
  detail::strided_axes axes;
  for (int i = 0; i < y.rank(); ++i) {
    const int from = i - (y.rank() - x.rank());
    axes.push(y.dim(i), from < 0 || x.dim(from) == 1 ? 0 : steps[from]);
  }
  detail::copy_strided(ctx, detail::layout_of<T>, x.data(), axes, y.data());
}

}  // namespace flowgraph
