#pragma once

#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/sparse/detail/bincount.hpp>
#include <flowgraph/ops/sparse/detail/places.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns the number of bins; -1 if it is not known.
FLOWGRAPH_COLD inline std::int64_t sparse_bins(shape_context& c, std::size_t i, const shape& size) {
  if (!fits(size, {})) return c.fail(message{"the size must be a scalar, found the shape ", size}), -1;
  const auto bins = scalar_integer(c, i, size, "size");
  if (bins && *bins < 0) return c.fail(message{"the size must not be negative, found ", *bins}), -1;
  return bins.value_or(-1);
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape ragged_bincount_op::shape(shape_context& c, const flowgraph::shape& splits,
                                                                const flowgraph::shape&, const flowgraph::shape& size,
                                                                const flowgraph::shape&) const {
  const std::int64_t bins = detail::sparse_bins(c, 2, size);
  if (splits.is_known() && splits.size() == 0) return c.fail("the splits must not be empty");
  return {splits.is_known() ? splits.size() - 1 : -1, bins};
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape sparse_bincount_op::shape(shape_context& c, const flowgraph::shape& indices,
                                                                const flowgraph::shape& values, const flowgraph::shape& extents,
                                                                const flowgraph::shape& size, const flowgraph::shape&) const {
  const detail::sparse_layout form = detail::check_sparse_layout(c, indices, values, extents);
  if (!c.failed() && form.rank == 0) c.fail("the sparse tensor must have at least one axis");
  if (c.failed()) return flowgraph::shape::unknown();
  const std::int64_t bins = detail::sparse_bins(c, 3, size);
  if (form.rank < 0) return flowgraph::shape::unknown();
  if (form.rank == 1) return {bins};
  const flowgraph::shape known = c.integers(2);
  if (known.rank > 0 && known[0] < 0) return c.fail(message{"the extents must not be negative, found ", known[0]});
  return {known.rank > 0 ? known[0] : -1, bins};
}

FLOWGRAPH_INLINE bool detail::check_counted_places(cpu ctx, view<const std::int64_t> indices, view<const std::int64_t> extents) {
  return check_extents(ctx, extents) && check_inside(ctx, indices, indices.dim(0), indices.dim(1), extents);
}

}  // namespace flowgraph
