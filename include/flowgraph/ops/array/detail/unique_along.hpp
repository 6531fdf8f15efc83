#pragma once

#include <flowgraph/ops/array/unique_along.hpp>
#include <flowgraph/ops/shared/detail/integers.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/array/detail/unique_table.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns the shapes of the different slices and of the index, and if `counted` also of the counts.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list unique_shapes(shape_context& c, const shape& x, const shape& axis,
                                                                bool counted) {
  const shape chosen = vector_of_integers(c, 1, axis, "axis");
  shape different = x.has_rank() ? shape::unknown_of_rank(x.rank) : x;
  std::int64_t count = -1;
  if (axis.rank == 1 && axis[0] > 1) c.fail("axis must be a vector of at most one element");
  if (axis.rank == 1 && axis[0] == 0 && x.has_rank() && x.rank != 1) c.fail("without an axis, expected a vector");
  if (x.rank == 0) c.fail("expected an input of at least one axis");
  if (chosen.has_rank() && x.has_rank() && !c.failed()) {
    const int at = chosen.rank == 0 ? 0 : normalized_axis(chosen[0], x.rank);
    if (at < 0) c.fail(axis_message("axis", x.rank, chosen[0]));
    else {
      count = x[at];
      different = x;
      different[at] = -1;
    }
  }
  if (c.failed()) return {};
  shape_list shapes{different, {count}};
  if (counted) shapes.push_back({any});
  return shapes;
}

// Returns the room for the slices along any axis.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t unique_memory(const shape& x) {
  std::int64_t most = 0;
  for (const std::int64_t extent : x) most = std::max(most, extent);
  return slice_table::memory(most);
}

inline int unique_axis(const any_indices& axis, int rank) { return axis.size() == 0 ? 0 : normalized_axis(axis.scalar(), rank); }

template <class T> std::int64_t find_different(cpu ctx, view<const T> x, int axis, const unsized<T>& y, index_output index) {
  const shape& extents = x.shape();
  const sliced<T> slices{x.data(), product_of(extents, 0, axis), extents[axis], product_of(extents, axis + 1, extents.rank)};
  slice_table table(ctx.scratch<std::int64_t>(), unique_places(static_cast<std::size_t>(slices.count)));
  for (std::int64_t i = 0; i < slices.count; ++i) index.set(i, table.insert(slices, i));
  shape result = extents;
  result[axis] = table.size();
  const view<T> values = y.resize(result);
  if (ctx.failed() || values.size() == 0) return table.size();
  for (std::int64_t o = 0; o < slices.outer; ++o)
    for (std::int64_t k = 0; k < table.size(); ++k)
      std::copy_n(slices.run(table.first_of(k), o), slices.inner, values.data() + (o * table.size() + k) * slices.inner);
  return table.size();
}

template <class I> void count_different(cpu ctx, std::int64_t different, view<I> index, const unsized<I>& count) {
  if (ctx.failed()) return;
  const view<I> result = count.resize({different});
  if (ctx.failed()) return;
  std::fill(result.begin(), result.end(), I{0});
  for (const I i : index) result[static_cast<std::size_t>(i)] += 1;
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list unique_v2_op::shape(shape_context& c, const flowgraph::shape& x,
                                                                      const flowgraph::shape& axis) const {
  return detail::unique_shapes(c, x, axis, false);
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t unique_v2_op::scratch(const flowgraph::shape& x,
                                                                         const flowgraph::shape&) const {
  return detail::unique_memory(x);
}
template <class T, class A, class I>
void unique_v2_op::operator()(cpu ctx, view<const T> x, index_view<A> axis, unsized<T> y, view<I> index) const {
  detail::find_different(ctx, x, detail::unique_axis(axis, x.rank()), y, detail::index_output(index));
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list unique_with_counts_op::shape(shape_context& c,
                                                                               const flowgraph::shape& x) const {
  if (x.has_rank() && x.rank != 1) c.fail("expected a vector");
  return {{any}, x.has_rank() ? x : flowgraph::shape{any}, {any}};
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t unique_with_counts_op::scratch(const flowgraph::shape& x) const {
  return detail::unique_memory(x);
}
template <class T, class I>
void unique_with_counts_op::operator()(cpu ctx, view<const T> x, unsized<T> y, view<I> index, unsized<I> count) const {
  detail::count_different(ctx, detail::find_different(ctx, x, 0, y, detail::index_output(index)), index, count);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list unique_with_counts_v2_op::shape(shape_context& c, const flowgraph::shape& x,
                                                                                  const flowgraph::shape& axis) const {
  return detail::unique_shapes(c, x, axis, true);
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t unique_with_counts_v2_op::scratch(const flowgraph::shape& x,
                                                                                     const flowgraph::shape&) const {
  return detail::unique_memory(x);
}
template <class T, class A, class I>
void unique_with_counts_v2_op::operator()(cpu ctx, view<const T> x, index_view<A> axis, unsized<T> y, view<I> index,
                                          unsized<I> count) const {
  const int at = detail::unique_axis(axis, x.rank());
  detail::count_different(ctx, detail::find_different(ctx, x, at, y, detail::index_output(index)), index, count);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
