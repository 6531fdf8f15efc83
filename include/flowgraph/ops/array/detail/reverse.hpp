#pragma once

#include <flowgraph/ops/array/reverse.hpp>
#include <flowgraph/ops/shared/detail/integers.hpp>
#include <flowgraph/ops/array/detail/rearrange.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Reverses axes. `turned` has a bit for each axis to reverse.
FLOWGRAPH_KERNEL_INLINE void reverse_axes(cpu ctx, element_layout e, unsigned turned, void* y, const shape& extents) {
  axis_runs axes[shape::max_rank];
  for (int i = 0; i < extents.rank; ++i) {
    const bool turn = (turned >> i & 1u) != 0 && extents[i] > 1;
    axes[i].push(extents[i], turn ? extents[i] - 1 : 0, turn ? -1 : 1);
  }
  rearrange(ctx, e, ctx.input(0).data(), extents, axes, nullptr, y, extents);
}

FLOWGRAPH_KERNEL_INLINE void reverse_sequences(cpu ctx, element_layout e, int sequence, int batch, void* y,
                                               const shape& extents) {
  const integer_list lengths(ctx.input(1));
  for (std::size_t i = 0; i < lengths.size(); ++i)
    if (lengths[i] < 0 || lengths[i] > extents[sequence])
      return ctx.fail(message{"seq_lengths[", i, "] must be in [0, ", extents[sequence], "], found ", lengths[i]});
  if (extents.size() == 0) return;
  const std::int64_t inner = product_of(extents, std::max(sequence, batch) + 1, extents.rank);
  const shape steps = row_major_steps(extents);
  const std::int64_t sequence_step = steps[sequence] / inner, batch_step = steps[batch] / inner;  // in rows of `inner` elements
  const void* x = ctx.input(0).data();
  visit_layout(e, [&]<class Unit>() {
    ctx.parallel_ranges(extents.size() / inner, std::max<std::int64_t>(1, moved_per_block / inner),
                        [&](std::int64_t first, std::int64_t last) {
                          for (std::int64_t r = first; r < last; ++r) {
                            const std::int64_t at = r / sequence_step % extents[sequence];
                            const std::int64_t n = lengths[static_cast<std::size_t>(r / batch_step % extents[batch])];
                            const std::int64_t from = at < n ? r + (n - 1 - 2 * at) * sequence_step : r;
                            std::copy_n(static_cast<const Unit*>(x) + from * inner, inner, static_cast<Unit*>(y) + r * inner);
                          }
                        });
  });
}

FLOWGRAPH_KERNEL_INLINE void roll_axes(cpu ctx, element_layout e, void* y, const shape& extents) {
  if (extents.size() == 0) return;
  const integer_list shifts(ctx.input(1)), chosen(ctx.input(2));
  std::int64_t by[shape::max_rank] = {};
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    const int axis = normalized_axis(chosen[i], extents.rank);
    by[axis] = (by[axis] + shifts[i] % extents[axis] + extents[axis]) % extents[axis];
  }
  axis_runs axes[shape::max_rank];
  for (int i = 0; i < extents.rank; ++i) {
    axes[i].push(by[i], extents[i] - by[i], 1);
    axes[i].push(extents[i] - by[i], 0, 1);
  }
  rearrange(ctx, e, ctx.input(0).data(), extents, axes, nullptr, y, extents);
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape reverse_op::shape(shape_context& c, const flowgraph::shape& x,
                                                               const flowgraph::shape& dims) const {
  if (dims.has_rank() && dims.rank != 1) return c.fail("dims must be a vector");
  if (x.has_rank() && dims.has_rank() && dims[0] >= 0 && dims[0] != x.rank)
    return c.fail(message{"dims must have one element per axis (", x.rank, ")"});
  if (x.rank > 0 && x[0] == 0) return c.fail("the first axis must not be empty");
  return x;
}
template <class T> void reverse_op::operator()(cpu ctx, view<const T>, view<const bool> dims, view<T> y) const {
  unsigned turned = 0;
  for (std::size_t i = 0; i < dims.size(); ++i) turned |= dims[i] ? 1u << i : 0u;
  detail::reverse_axes(ctx, detail::layout_of<T>, turned, y.data(), y.shape());
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape reverse_v2_op::shape(shape_context& c, const flowgraph::shape& x,
                                                                  const flowgraph::shape& axis) const {
  const flowgraph::shape chosen = detail::vector_of_integers(c, 1, axis, "axis");
  if (c.failed() || !x.has_rank()) return c.failed() ? flowgraph::shape::unknown() : x;
  unsigned seen = 0;
  for (const std::int64_t a : chosen) {
    const int at = detail::normalized_axis(a, x.rank);
    if (at < 0) return c.fail(detail::axis_message("axis", x.rank, a));
    if ((seen >> at & 1u) != 0) return c.fail(message{"axis ", at, " is named twice"});
    seen |= 1u << at;
  }
  return x;
}
template <class T, class I> void reverse_v2_op::operator()(cpu ctx, view<const T>, index_view<I> axis, view<T> y) const {
  unsigned turned = 0;
  for (std::size_t i = 0; i < axis.size(); ++i) turned |= 1u << detail::normalized_axis(axis[i], y.rank());
  detail::reverse_axes(ctx, detail::layout_of<T>, turned, y.data(), y.shape());
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape reverse_sequence_op::shape(shape_context& c, const flowgraph::shape& x,
                                                                        const flowgraph::shape& lengths) const {
  if (lengths.has_rank() && lengths.rank != 1) return c.fail("seq_lengths must be a vector");
  if (seq_dim < 0 || batch_dim < 0 || seq_dim == batch_dim || (x.has_rank() && std::max(seq_dim, batch_dim) >= x.rank))
    return c.fail(message{"seq_dim and batch_dim must be two axes of the input, found ", seq_dim, " and ", batch_dim});
  if (!x.has_rank() || !lengths.has_rank()) return x;
  const int batch = static_cast<int>(batch_dim);
  if (lengths[0] >= 0 && x[batch] >= 0 && lengths[0] != x[batch])
    return c.fail(message{"seq_lengths must have ", x[batch], " elements, as axis ", batch, " has"});
  flowgraph::shape result = x;
  result[batch] = std::max(x[batch], lengths[0]);
  return result;
}
template <class T, class I> void reverse_sequence_op::operator()(cpu ctx, view<const T>, index_view<I>, view<T> y) const {
  detail::reverse_sequences(ctx, detail::layout_of<T>, static_cast<int>(seq_dim), static_cast<int>(batch_dim), y.data(),
                            y.shape());
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape roll_op::shape(shape_context& c, const flowgraph::shape& x,
                                                            const flowgraph::shape& shift, const flowgraph::shape& axis) const {
  if (x.rank == 0) return c.fail("expected an input of at least one axis");
  if (shift.rank > 1 || axis.rank > 1 || !fits(shift, axis))
    return c.fail("shift and axis must be two scalars, or two vectors of one length");
  const any_tensor* known = c.constant(2);
  for (std::size_t i = 0; known && x.has_rank() && i < known->size(); ++i) {
    const std::int64_t a = detail::integer_list(*known)[i];
    if (detail::normalized_axis(a, x.rank) < 0) return c.fail(detail::axis_message("axis", x.rank, a));
  }
  return x;
}
template <class T, class S, class A>
void roll_op::operator()(cpu ctx, view<const T>, index_view<S>, index_view<A>, view<T> y) const {
  detail::roll_axes(ctx, detail::layout_of<T>, y.data(), y.shape());
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
