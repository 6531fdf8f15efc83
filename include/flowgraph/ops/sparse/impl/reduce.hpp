#pragma once

#include <flowgraph/ops/sparse/detail/reduce.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Checks the parts and the axes of a reduction, as far as they are known.
inline sparse_layout check_sparse_reduction(shape_context& c, const shape& indices, const shape& values, const shape& extents,
                                            const shape& axes) {
  const sparse_layout form = check_sparse_layout(c, indices, values, extents);
  if (!c.failed() && axes.rank > 1) c.fail("the axes must be a vector or a scalar");
  if (c.failed() || form.rank < 0) return form;
  if (const any_tensor* known = c.constant(3))
    for (const std::int32_t axis : known->as<std::int32_t>())
      if (axis < -form.rank || axis >= form.rank)
        c.fail(message{"the axes must be in [", -form.rank, ", ", form.rank, "), found ", axis});
  return form;
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape detail::sparse_reduced_shape(shape_context& c, const shape& indices, const shape& values,
                                                                   const shape& extents, const shape& axes, bool keep_dims) {
  const sparse_layout form = check_sparse_reduction(c, indices, values, extents, axes);
  const shape known = c.failed() ? shape::unknown() : sparse_extents(c, 2, form);
  const any_tensor* const reduced = c.failed() ? nullptr : c.constant(3);
  if (!known.has_rank() || !reduced) return keep_dims && known.has_rank() ? shape::unknown_of_rank(known.rank) : shape::unknown();
  bool is_reduced[shape::max_rank] = {};
  for (const std::int32_t axis : reduced->as<std::int32_t>()) is_reduced[axis < 0 ? axis + known.rank : axis] = true;
  shape result;
  for (int k = 0; k < known.rank; ++k)
    if (!is_reduced[k]) result.push_back(known[k]);
    else if (keep_dims) result.push_back(1);
  return result;
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list detail::sparse_reduced_parts(shape_context& c, const shape& indices,
                                                                        const shape& values, const shape& extents,
                                                                        const shape& axes, bool keep_dims) {
  const sparse_layout form = check_sparse_reduction(c, indices, values, extents, axes);
  const std::int64_t rank = keep_dims && !c.failed() ? form.rank : -1;
  return {{any, rank}, {any}, {rank}};
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t detail::sparse_reduction_scratch(const shape& indices, const shape& extents) {
  return static_cast<std::size_t>(indices[0]) * sizeof(std::int64_t) + static_cast<std::size_t>(extents[0]);
}

namespace detail {

// Returns a number that is negative, 0 or positive if the group of place a precedes, equals or follows that of b.
inline int compare_groups(const index_groups& g, std::int64_t a, std::int64_t b) {
  const std::int64_t *x = g.all[a], *y = g.all[b];
  for (std::int64_t k = 0; k < g.all.rank; ++k)
    if (x[k] != y[k] && !g.is_reduced[k]) return x[k] < y[k] ? -1 : 1;
  return 0;
}

}  // namespace detail

FLOWGRAPH_INLINE detail::index_groups detail::group_places(cpu ctx, view<const std::int64_t> indices,
                                                           view<const std::int64_t> extents, view<const std::int32_t> axes,
                                                           bool is_dense) {
  const places p(indices);
  auto* const order = ctx.scratch<std::int64_t>();
  auto* const is_reduced = reinterpret_cast<std::uint8_t*>(order + p.count);
  const index_groups g{p, order, is_reduced};
  if (!check_extents(ctx, any_indices(extents))) return g;
  std::fill_n(is_reduced, p.rank, std::uint8_t{0});
  for (const std::int32_t axis : axes) is_reduced[axis < 0 ? axis + p.rank : axis] = 1;
  // Kept axes come first, because their errors have a code of their own.
  for (const bool reduced : {false, true})
    for (std::int64_t i = 0; i < p.count; ++i)
      for (std::int64_t k = 0; k < p.rank; ++k) {
        const std::int64_t found = p[i][k], extent = extents[static_cast<std::size_t>(k)];
        if ((is_reduced[k] != 0) != reduced || (found >= 0 && found < extent)) continue;
        refuse_index(ctx, i, k, found, extent, is_dense && !reduced ? error_code::internal : error_code::invalid_argument);
        return g;
      }
  bool is_ordered = true;
  for (std::int64_t i = 0; i < p.count; ++i) {
    order[i] = i;
    is_ordered = is_ordered && (i == 0 || compare_groups(g, i - 1, i) <= 0);
  }
  if (!is_ordered)
    std::sort(order, order + p.count, [&g](std::int64_t a, std::int64_t b) {
      const int found = compare_groups(g, a, b);
      return found != 0 ? found < 0 : a < b;
    });
  return g;
}

FLOWGRAPH_INLINE std::int64_t detail::index_groups::end_of(std::int64_t first) const {
  std::int64_t end = first + 1;
  while (end < all.count && compare_groups(*this, order[first], order[end]) == 0) ++end;
  return end;
}
FLOWGRAPH_INLINE std::int64_t detail::index_groups::count() const {
  std::int64_t n = 0;
  for (std::int64_t first = 0; first < all.count; first = end_of(first)) ++n;
  return n;
}
FLOWGRAPH_INLINE std::int64_t detail::index_groups::kept_axes() const {
  return std::count(is_reduced, is_reduced + all.rank, std::uint8_t{0});
}

FLOWGRAPH_INLINE std::int64_t detail::place_of_group(const index_groups& g, std::int64_t first,
                                                     view<const std::int64_t> extents) {
  const std::int64_t* const place = g.all[g.order[first]];
  std::int64_t found = 0;
  for (std::int64_t k = 0; k < g.all.rank; ++k)
    if (!g.is_reduced[k]) found = found * extents[static_cast<std::size_t>(k)] + place[k];
  return found;
}

FLOWGRAPH_INLINE void detail::write_groups(const index_groups& g, view<const std::int64_t> extents, bool keep_dims,
                                           view<std::int64_t> new_indices, view<std::int64_t> new_extents) {
  std::int64_t* to = new_indices.data();
  for (std::int64_t first = 0; first < g.all.count; first = g.end_of(first))
    for (std::int64_t k = 0; k < g.all.rank; ++k)
      if (!g.is_reduced[k]) *to++ = g.all[g.order[first]][k];
      else if (keep_dims) *to++ = 0;
  to = new_extents.data();
  for (std::int64_t k = 0; k < g.all.rank; ++k)
    if (!g.is_reduced[k]) *to++ = extents[static_cast<std::size_t>(k)];
    else if (keep_dims) *to++ = 1;
}

}  // namespace flowgraph
