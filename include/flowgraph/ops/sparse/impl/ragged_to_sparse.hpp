#pragma once

#include <flowgraph/ops/sparse/detail/ragged_to_sparse.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list ragged_tensor_to_sparse_op::shape(shape_context& c,
                                                                             std::span<const flowgraph::shape> splits,
                                                                             const flowgraph::shape& values) const {
  using flowgraph::shape;
  if (splits.empty()) c.fail("expected at least one list of splits");
  for (const shape& s : splits)
    if (!c.failed() && !fits(s, {any})) c.fail(message{"the splits must be vectors, found the shape ", s});
  if (!c.failed() && values.rank == 0) c.fail("the values must have at least one axis");
  if (c.failed() || !values.has_rank()) return {{any, any}, {any}, {any}};
  const auto ragged = static_cast<std::int64_t>(splits.size());
  if (ragged + values.rank > shape::max_rank)
    c.fail(message{"the result must have at most ", shape::max_rank, " axes, found ", ragged + values.rank});
  const std::int64_t count = values.is_known() ? values.size() : -1, rank = ragged + values.rank;
  return {{count, rank}, {count}, {rank}};
}

FLOWGRAPH_INLINE detail::ragged_axes detail::read_nested_splits(cpu ctx, std::size_t count, std::int64_t values) {
  ragged_axes axes;
  for (std::size_t i = 0; i < count; ++i) {
    const any_tensor& t = ctx.input(i);
    const any_indices splits(t.data(), t.size(), t.shape(), t.type());
    if (!check_row_splits(ctx, splits, "the splits with the number", i)) return axes;
    const auto rows = static_cast<std::int64_t>(splits.size()) - 1;
    if (i == 0) axes.rows = axes.elements = rows;
    if (axes.elements != rows) {
      ctx.fail(message{"the splits with the number ", i - 1, " must end with ", rows,
                       ", the number of rows of the next splits, found ", axes.elements});
      return axes;
    }
    axes.all[axes.count++] = {splits, false};
    axes.elements = splits[rows];
  }
  if (axes.elements != values)
    ctx.fail(message{"the last splits must end with the number of values, ", values, ", found ", axes.elements});
  return axes;
}

FLOWGRAPH_INLINE void detail::write_ragged_places(cpu ctx, const ragged_axes& axes, const shape& values,
                                                  view<std::int64_t> indices, view<std::int64_t> extents) {
  std::int64_t inner = 1;
  for (int k = 1; k < values.rank; ++k) inner *= values[k];
  extents[0] = axes.rows;
  for (int k = 0; k < axes.count; ++k) extents[static_cast<std::size_t>(k) + 1] = axes.longest_row(k);
  for (int k = 1; k < values.rank; ++k) extents[static_cast<std::size_t>(axes.count + k)] = values[k];
  const std::int64_t rank = axes.count + values.rank;
  ctx.parallel_ranges(axes.elements, std::max<std::int64_t>(1, moved_per_block / (1 + inner * rank)),
                      [&](std::int64_t first, std::int64_t last) {
                        ragged_cursor cursors[shape::max_rank];
                        for (int k = 0; k < axes.count; ++k) cursors[k].axis = &axes.all[k];
                        for (std::int64_t i = first; i < last; ++i) {
                          std::int64_t* place = indices.data() + i * inner * rank;
                          std::int64_t element = i;
                          for (int k = axes.count - 1; k >= 0; --k) {
                            cursors[k].move_to(element);
                            if (inner > 0) place[k + 1] = element - cursors[k].begin;
                            element = cursors[k].row;
                          }
                          if (inner > 0) place[0] = element;
                          for (std::int64_t n = 0; n < inner; ++n, place += rank) {
                            if (n > 0) std::copy_n(place - rank, axes.count + 1, place);
                            std::int64_t rest = n;
                            for (int k = values.rank - 1; k > 0; --k) {
                              place[axes.count + k] = rest % values[k];
                              rest /= values[k];
                            }
                          }
                        }
                      });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
