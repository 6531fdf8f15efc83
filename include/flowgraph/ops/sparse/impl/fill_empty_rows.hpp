#pragma once

#include <flowgraph/ops/sparse/detail/fill_empty_rows.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list sparse_fill_empty_rows_op::shape(shape_context& c, const flowgraph::shape& indices,
                                                                            const flowgraph::shape& values,
                                                                            const flowgraph::shape& extents,
                                                                            const flowgraph::shape& default_value) const {
  const detail::sparse_layout form = detail::check_sparse_layout(c, indices, values, extents);
  if (!c.failed() && form.rank == 0) c.fail("the sparse tensor must have at least one axis");
  if (!c.failed() && !fits(default_value, {})) c.fail("the default value must be a scalar");
  const flowgraph::shape known = c.integers(2);
  for (const std::int64_t extent : known)
    if (extent < 0) c.fail(message{"the extents of a shape must not be negative, found ", extent});
  return {{any, form.rank}, {any}, {known.rank > 0 ? known[0] : -1}, {form.count}};
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list sparse_fill_empty_rows_grad_op::shape(shape_context& c, const flowgraph::shape& map,
                                                                                 const flowgraph::shape& slopes) const {
  if (!fits(map, {any})) c.fail("the map must be a vector");
  else if (!fits(slopes, {any})) c.fail("the gradient must be a vector");
  return {c.failed() ? flowgraph::shape{any} : merged(map, {any}), flowgraph::shape{}};
}

FLOWGRAPH_INLINE std::int64_t detail::count_filled(cpu ctx, const places& p, view<const std::int64_t> extents) {
  auto* const order = ctx.scratch<std::int64_t>();
  const std::int64_t rows = extents[0];
  const auto row_of = [&p](std::int64_t i) { return p[i][0]; };
  bool is_ordered = true;
  for (std::int64_t i = 0; i < p.count; ++i) {
    if (row_of(i) < 0 || row_of(i) >= rows) {
      refuse_index(ctx, i, 0, row_of(i), rows);
      return -1;
    }
    order[i] = i;
    is_ordered = is_ordered && (i == 0 || row_of(i - 1) <= row_of(i));
  }
  if (!is_ordered)
    std::sort(order, order + p.count,
              [&](std::int64_t a, std::int64_t b) { return row_of(a) != row_of(b) ? row_of(a) < row_of(b) : a < b; });
  std::int64_t full = 0;
  for (std::int64_t i = 0; i < p.count; ++i) full += i == 0 || row_of(order[i - 1]) != row_of(order[i]);
  if (rows - full > std::numeric_limits<std::int64_t>::max() - p.count) {
    ctx.fail(message{"the sparse tensor has too many empty rows: ", rows - full});
    return -1;
  }
  return p.count + (rows - full);
}

FLOWGRAPH_INLINE void detail::fill_empty_rows(cpu ctx, element_layout e, const places& p, const void* values,
                                              const void* default_value, view<std::int64_t> new_indices, void* new_values,
                                              view<bool> empty_rows, view<std::int64_t> map) {
  const auto* const order = ctx.scratch<std::int64_t>();
  std::int64_t next = 0, result = 0;
  for (std::size_t row = 0; row < empty_rows.size(); ++row) {
    const auto number = static_cast<std::int64_t>(row);
    empty_rows[row] = next == p.count || p[order[next]][0] != number;
    if (empty_rows[row]) {
      std::int64_t* const place = new_indices.data() + result * p.rank;
      std::fill_n(place, p.rank, 0);
      place[0] = number;
      copy_elements(e, default_value, element_at(e, new_values, result++), 1);
    }
    for (; next < p.count && p[order[next]][0] == number; ++next, ++result) {
      std::copy_n(p[order[next]], p.rank, new_indices.data() + result * p.rank);
      copy_elements(e, element_at(e, values, order[next]), element_at(e, new_values, result), 1);
      map[static_cast<std::size_t>(order[next])] = result;
    }
  }
}

FLOWGRAPH_INLINE bool detail::mark_mapped(cpu ctx, view<const std::int64_t> map, std::int64_t size) {
  auto* const is_mapped = ctx.scratch<std::uint8_t>();
  std::fill_n(is_mapped, size, std::uint8_t{0});
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (map[i] < 0 || map[i] >= size)
      return detail::fail_check(ctx, message{"element ", i, " of the map must be in [0, ", size, "), found ", map[i]});

    is_mapped[map[i]] = 1;
  }
  return true;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
