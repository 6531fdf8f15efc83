#pragma once

#include <flowgraph/ops/shared/detail/sparse_parts.hpp>
#include <flowgraph/ops/sparse/sparse_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE detail::sparse_layout detail::check_sparse_layout(shape_context& c, const shape& indices,
                                                                                  const shape& values, const shape& extents) {
  sparse_layout form;
  check_sparse_ranks(c, indices, values, extents);
  if (c.failed()) return form;
  const shape found = merged(indices.has_rank() ? indices : shape{any, any},
                             shape{values.has_rank() ? values[0] : -1, extents.has_rank() ? extents[0] : -1});
  if (values.has_rank() && !fits({found[0]}, values)) c.fail("expected as many rows of indices as values");
  if (extents.has_rank() && !fits({found[1]}, extents)) c.fail("expected as many columns of indices as elements of the shape");
  return {found[0], found[1]};
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape detail::sparse_extents(shape_context& c, std::size_t i, const sparse_layout& form) {
  const shape unknown =
      form.rank >= 0 && form.rank <= shape::max_rank ? shape::unknown_of_rank(static_cast<int>(form.rank)) : shape::unknown();
  const shape extents = c.integers(i);
  if (!extents.has_rank()) return unknown;
  for (const std::int64_t extent : extents)
    if (extent < 0) return c.fail(message{"the extents of a shape must not be negative, found ", extent});
  if (checked_product(extents.begin(), extents.end()) < 0)
    return c.fail("the shape has too many elements: the product of its extents does not fit in 64 bits");
  return extents;
}

}  // namespace flowgraph
