#pragma once

#include <flowgraph/ops/array/lin_space.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape lin_space_op::shape(shape_context& c, const flowgraph::shape& start,
                                                                 const flowgraph::shape& stop,
                                                                 const flowgraph::shape& num) const {
  if (start.rank > 0 || stop.rank > 0 || num.rank > 0) return c.fail("start, stop and num must be scalars");
  const flowgraph::shape count = c.integers(2);
  if (count.rank != 1) return {any};
  if (count[0] < 1) return c.fail(message{"num must be positive, found ", count[0]});
  return {count[0]};
}
template <class T, class I>
void lin_space_op::operator()(cpu ctx, view<const T> start, view<const T> stop, index_view<I>, view<T> y) const {
  const auto n = static_cast<std::int64_t>(y.size());
  const T first = start.scalar(), last = stop.scalar(), step = n > 1 ? (last - first) / static_cast<T>(n - 1) : T(0);
  ctx.parallel_ranges(n, detail::moved_per_block, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) y[static_cast<std::size_t>(i)] = first + step * static_cast<T>(i);
  });
  y[0] = first;
  if (n > 1) y[y.size() - 1] = last;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape empty_op::shape(shape_context& c, const flowgraph::shape& dims) const {
  const flowgraph::shape result = detail::vector_of_integers(c, 0, dims, "shape");
  if (c.failed()) return result;
  if (!result.has_rank())
    return dims.rank == 1 && dims[0] >= 0 ? flowgraph::shape::unknown_of_rank(static_cast<int>(dims[0])) : result;
  for (const std::int64_t extent : result)
    if (extent < 0) return c.fail(message{"the extents must not be negative, found ", result});
  return result;
}
template <class T> void empty_op::operator()(cpu ctx, view<const std::int32_t>, view<T> y) const {
  const T zero{};
  detail::fill_elements(ctx, detail::layout_of<T>, &zero, y.data(), static_cast<std::int64_t>(y.size()));
}

}  // namespace flowgraph
