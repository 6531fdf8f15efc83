#pragma once

#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/sparse/ragged_gather.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Rows of a ragged tensor, to be selected.
struct ragged_selection {
  any_indices splits[shape::max_rank];
  int count = 0;
  std::int64_t values = 0;  // rows of values
  int axes = 0;             // of the indices
  any_indices indices;

  // Returns the range of the rows of the splits `level`, or of the values if there are no such splits, in the row of the first
  // splits.
  std::pair<std::int64_t, std::int64_t> range_at(int level, std::int64_t row) const {
    std::int64_t begin = row, end = row + 1;
    for (int k = 0; k < level; ++k) {
      begin = splits[k][begin];
      end = splits[k][end];
    }
    return {begin, end};
  }
};

// Reads and checks the inputs of the call. Marks the context as failed if the splits are wrong or an index is out of range.
ragged_selection read_ragged_selection(cpu ctx, std::size_t count, std::int64_t most);
// Returns the number of elements of the result's splits with this number, or of its values: level `count`.
std::int64_t gathered_size(const ragged_selection& r, int level);
// Copies the selected values, each with `inner` elements.
void copy_gathered_values(const ragged_selection& r, element_layout e, std::int64_t inner, const void* from, void* to);

template <class I> void write_gathered_splits(cpu ctx, const ragged_selection& r, unsized_list<I> splits) {
  std::size_t result = 0;
  std::int64_t rows = 1;
  for (int axis = 0; axis + 1 < r.axes; ++axis) {  // the axes of the indices have rows of equal lengths
    rows *= r.indices.dim(axis);
    const view<I> to = splits.resize(result++, {rows + 1});
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<I>(static_cast<std::int64_t>(i) * r.indices.dim(axis + 1));
  }
  for (int level = r.axes > 0 ? 0 : 1; level < r.count && !ctx.failed(); ++level) {  // a single row is not a row of the result
    const view<I> to = splits.resize(result++, {gathered_size(r, level) + 1});
    if (ctx.failed()) return;
    std::size_t next = 0;
    to[0] = 0;
    for (std::size_t i = 0; i < r.indices.size(); ++i) {
      const auto [begin, end] = r.range_at(level, r.indices[i]);
      for (std::int64_t row = begin; row < end; ++row, ++next)
        to[next + 1] = static_cast<I>(to[next] + (r.splits[level][row + 1] - r.splits[level][row]));
    }
  }
}

}  // namespace detail

template <class T, class N, class I>
void ragged_gather_op::operator()(cpu ctx, view_list<const I> splits, view<const T> values, index_view<N>,
                                  unsized_list<I> new_splits, unsized<T> new_values) const {
  constexpr auto most = static_cast<std::int64_t>(std::numeric_limits<I>::max());
  const detail::ragged_selection r = detail::read_ragged_selection(ctx, splits.size(), most);
  if (!ctx.failed()) detail::write_gathered_splits(ctx, r, new_splits);
  if (ctx.failed()) return;
  flowgraph::shape found = values.shape();
  found[0] = detail::gathered_size(r, r.count);
  const view<T> to = new_values.resize(found);
  if (!ctx.failed())
    detail::copy_gathered_values(r, detail::layout_of<T>, detail::product_of(found, 1, found.rank), values.data(), to.data());
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/ragged_gather.hpp>
#endif
