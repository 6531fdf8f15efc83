#pragma once

#include <flowgraph/ops/shared/detail/wide.hpp>
#include <flowgraph/ops/sparse/detail/places.hpp>
#include <flowgraph/ops/sparse/fill_empty_rows.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Counts the elements of the result, and fills scratch memory with the order of the elements by row. Returns -1 after a failure.
std::int64_t count_filled(cpu ctx, const places& p, view<const std::int64_t> extents);
// Writes all outputs, from the order in scratch memory.
void fill_empty_rows(cpu ctx, element_layout e, const places& p, const void* values, const void* default_value,
                     view<std::int64_t> new_indices, void* new_values, view<bool> empty_rows, view<std::int64_t> map);
// Marks the positions that the map names in scratch memory. Fails and returns false if one is out of range.
bool mark_mapped(cpu ctx, view<const std::int64_t> map, std::int64_t size);

}  // namespace detail

template <class T>
void sparse_fill_empty_rows_op::operator()(cpu ctx, view<const std::int64_t> indices, view<const T> values,
                                           view<const std::int64_t> extents, view<const T> default_value,
                                           unsized<std::int64_t> new_indices, unsized<T> new_values, unsized<bool> empty_rows,
                                           view<std::int64_t> map) const {
  const detail::places p(indices);
  const std::int64_t count = detail::count_filled(ctx, p, extents);
  if (count < 0) return;
  const view<std::int64_t> made_indices = new_indices.resize({count, p.rank});
  const view<T> made_values = new_values.resize({count});
  const view<bool> empty = empty_rows.resize({extents[0]});
  if (!ctx.failed())
    detail::fill_empty_rows(ctx, detail::layout_of<T>, p, values.data(), default_value.data(), made_indices, made_values.data(),
                            empty, map);
}

template <class T>
void sparse_fill_empty_rows_grad_op::operator()(cpu ctx, view<const std::int64_t> map, view<const T> slopes, view<T> dvalues,
                                                view<T> ddefault) const {
  if (!detail::mark_mapped(ctx, map, slopes.dim(0))) return;
  const auto* const is_mapped = ctx.scratch<std::uint8_t>();
  for (std::size_t i = 0; i < map.size(); ++i) dvalues[i] = slopes[static_cast<std::size_t>(map[i])];
  detail::wide<T> rest{};
  for (std::size_t i = 0; i < slopes.size(); ++i)
    if (!is_mapped[i]) rest = static_cast<detail::wide<T>>(rest + detail::widened(slopes[i]));
  ddefault.scalar() = detail::narrowed<T>(rest);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/fill_empty_rows.hpp>
#endif
