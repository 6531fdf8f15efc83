#pragma once

#include <flowgraph/ops/sparse/detail/slice.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list sparse_slice_op::shape(shape_context& c, const flowgraph::shape& indices,
                                                                  const flowgraph::shape& values, const flowgraph::shape& extents,
                                                                  const flowgraph::shape& start,
                                                                  const flowgraph::shape& size) const {
  const detail::sparse_layout form = detail::check_sparse_layout(c, indices, values, extents);
  if (!c.failed() && (!fits(start, {form.rank}) || !fits(size, {form.rank})))
    c.fail("start and size must be vectors with one element per axis");
  return {{any, form.rank}, {any}, {form.rank}};
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape sparse_slice_grad_op::shape(shape_context& c, const flowgraph::shape& slopes,
                                                                  const flowgraph::shape& indices, const flowgraph::shape& start,
                                                                  const flowgraph::shape& slice) const {
  if (!fits(slopes, {any})) return c.fail("the gradient must be a vector");
  if (!fits(indices, {any, any}) || !fits(slice, {any, any})) return c.fail("the indices must be matrices");
  if (slopes.has_rank() && slice.has_rank() && !fits({slice[0]}, slopes))
    return c.fail("expected as many rows of the slice as gradients");
  if (indices.has_rank() && (!fits(start, {indices[1]}) || (slice.has_rank() && !fits({slice[1]}, {indices[1]}))))
    return c.fail("start must have one element per axis, and the slice must have one column per axis");
  return {indices.has_rank() ? indices[0] : -1};
}

FLOWGRAPH_INLINE bool detail::sparse_block::contains(std::int64_t i) const {
  for (std::int64_t k = 0; k < all.rank; ++k) {
    const auto axis = static_cast<std::size_t>(k);
    // An index of the input is not negative, so the difference fits in 64 bits without a sign.
    if (all[i][k] < start[axis] ||
        static_cast<std::uint64_t>(all[i][k]) - static_cast<std::uint64_t>(start[axis]) >= static_cast<std::uint64_t>(size[axis]))
      return false;
  }
  return true;
}
FLOWGRAPH_INLINE std::int64_t detail::sparse_block::count() const {
  std::int64_t n = 0;
  for (std::int64_t i = 0; i < all.count; ++i) n += contains(i);
  return n;
}

FLOWGRAPH_INLINE bool detail::begin_slice(cpu ctx, const sparse_block& b, view<const std::int64_t> extents,
                                          view<std::int64_t> new_extents) {
  if (!check_extents(ctx, any_indices(extents))) return false;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    if (b.size[k] < 0) return detail::fail_check(ctx, message{"element ", k, " of size must not be negative, found ", b.size[k]});

    // Neither difference overflows: extents and sizes are not negative, and a block that ends inside has a smaller size.
    const bool ends_inside = b.start[k] < extents[k] - b.size[k];
    new_extents[k] = ends_inside ? b.size[k] : b.start[k] < extents[k] ? extents[k] - b.start[k] : 0;
  }
  return check_inside(ctx, any_indices(ctx.input(0).as<std::int64_t>()), b.all.count, b.all.rank, any_indices(extents));
}

FLOWGRAPH_INLINE void detail::write_block(const sparse_block& b, element_layout e, const void* values, std::int64_t* new_indices,
                                          void* new_values) {
  std::int64_t result = 0;
  for (std::int64_t i = 0; i < b.all.count; ++i) {
    if (!b.contains(i)) continue;
    for (std::int64_t k = 0; k < b.all.rank; ++k) *new_indices++ = b.all[i][k] - b.start[static_cast<std::size_t>(k)];
    copy_elements(e, element_at(e, values, i), element_at(e, new_values, result++), 1);
  }
}

FLOWGRAPH_INLINE void detail::write_slice_gradient(cpu ctx, element_layout e, const void* slopes, const places& p,
                                                   view<const std::int64_t> start, const places& slice, void* y) {
  std::int64_t used = 0;
  const auto is_next = [&](std::int64_t i) {
    for (std::int64_t k = 0; k < p.rank; ++k)
      if (p[i][k] != wrapped_sum(slice[used][k], start[static_cast<std::size_t>(k)])) return false;
    return true;
  };
  for (std::int64_t i = 0; i < p.count && used < slice.count; ++i)
    if (is_next(i)) copy_elements(e, element_at(e, slopes, used++), element_at(e, y, i), 1);
  if (used < slice.count)
    ctx.fail(error_code::internal, message{"row ", used, " of the slice must be a place of the input, in the same order"});
}

}  // namespace flowgraph
