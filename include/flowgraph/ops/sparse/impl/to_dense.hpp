#pragma once

#include <flowgraph/ops/sparse/detail/to_dense.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape sparse_to_dense_op::shape(shape_context& c, const flowgraph::shape& indices,
                                                                const flowgraph::shape& extents, const flowgraph::shape& values,
                                                                const flowgraph::shape& default_value) const {
  using flowgraph::shape;
  if (indices.rank > 2) return c.fail("the indices must be a scalar, a vector or a matrix");
  if (!fits(extents, {any})) return c.fail("the shape must be a vector");
  if (!fits(default_value, {})) return c.fail("the default value must be a scalar");
  const std::int64_t rank = indices.rank == 2 ? indices[1] : indices.has_rank() ? 1 : -1;
  if (extents.has_rank() && !fits({rank}, extents)) return c.fail("expected as many columns of indices as elements of the shape");
  const std::int64_t count = indices.rank > 0 ? indices[0] : indices.rank == 0 ? 1 : -1;
  if (values.has_rank() && values.rank != 0 && !fits({count}, values))
    return c.fail("the values must be a scalar, or a vector with one element per place");
  return detail::sparse_extents(c, 1, {count, rank >= 0 ? rank : extents.has_rank() ? extents[0] : -1});
}

FLOWGRAPH_INLINE void detail::write_places(cpu ctx, element_layout e, any_indices indices, const shape& extents,
                                           const void* values, bool one_value, bool validate, void* y) {
  const std::int64_t rank = extents.rank, count = indices.rank() == 0 ? 1 : indices.dim(0);
  const shape steps = row_major_steps(extents);
  const auto place_of = [&](std::int64_t i) {
    std::int64_t place = 0;
    for (int k = 0; k < rank; ++k) place += indices[i * rank + k] * steps[k];
    return place;
  };
  bool is_ascending = true;
  for (std::int64_t i = 0, last = -1; i < count; ++i) {
    for (int k = 0; k < rank; ++k)
      if (const std::int64_t found = indices[i * rank + k]; found < 0 || found >= extents[k])
        return refuse_index(ctx, i, k, found, extents[k]);
    const std::int64_t place = place_of(i);
    if (place <= last) {
      if (validate)
        return ctx.fail(message{"the places must be different and in row-major order, found that place ", i,
                                place == last ? " equals place " : " precedes place ", i - 1});
      is_ascending = false;
    }
    last = place;
  }
  const auto write = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      copy_elements(e, element_at(e, values, one_value ? 0 : i), element_at(e, y, place_of(i)), 1);
  };
  if (is_ascending) ctx.parallel_ranges(count, moved_per_block / 4, write);
  else write(0, count);
}

}  // namespace flowgraph
