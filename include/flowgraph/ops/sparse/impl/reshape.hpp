#pragma once

#include <flowgraph/ops/sparse/detail/reshape.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list sparse_reshape_op::shape(shape_context& c, const flowgraph::shape& indices,
                                                                    const flowgraph::shape& extents,
                                                                    const flowgraph::shape& wanted) const {
  detail::check_sparse_layout(c, indices, flowgraph::shape{any}, extents);
  if (!c.failed() && !fits(wanted, {any})) c.fail("the new shape must be a vector");
  const std::int64_t rank = wanted.has_rank() && !c.failed() ? wanted[0] : -1;
  return {{indices.has_rank() && !c.failed() ? indices[0] : -1, rank}, {rank}};
}

namespace detail {

// Writes the extents of the result. Fails and returns false if they do not have as many elements as the input.
inline bool find_new_extents(cpu ctx, view<const std::int64_t> extents, view<const std::int64_t> wanted,
                             view<std::int64_t> found) {
  std::size_t inferred = wanted.size();
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (wanted[k] == -1 && inferred < wanted.size())
      return fail_check(ctx, message{"only one extent of the new shape may be -1, found ", inferred, " and ", k});
    if (wanted[k] < -1)
      return fail_check(ctx, message{"extent ", k, " of the new shape must be -1 or not negative, found ", wanted[k]});
    if (wanted[k] == -1) inferred = k;
    found[k] = wanted[k] == -1 ? 1 : wanted[k];
  }
  if (!check_extents(ctx, any_indices(extents)) || !check_extents(ctx, any_indices(view<const std::int64_t>(found))))
    return false;
  const std::int64_t size = checked_product(extents.begin(), extents.end());
  const std::int64_t others = checked_product(found.begin(), found.end());
  if (inferred < wanted.size()) {
    if (others == 0)
      return fail_check(ctx, message{"cannot compute extent ", inferred, ", because another extent of the new shape is 0"});
    found[inferred] = size / others;
    if (found[inferred] * others != size)
      return fail_check(
          ctx, message{"the new shape must have a divisor of ", size, " elements besides the computed extent, found ", others});
  } else if (others != size) {
    return fail_check(ctx, message{"the new shape must have ", size, " elements, found ", others});
  }
  return true;
}

}  // namespace detail

FLOWGRAPH_INLINE void sparse_reshape_op::operator()(cpu ctx, view<const std::int64_t> indices, view<const std::int64_t> extents,
                                                    view<const std::int64_t> wanted, view<std::int64_t> new_indices,
                                                    view<std::int64_t> new_extents) const {
  if (!detail::find_new_extents(ctx, extents, wanted, new_extents)) return;
  const detail::places p(indices);
  if (!detail::check_inside(ctx, any_indices(indices), p.count, p.rank, any_indices(extents))) return;
  const auto rank = static_cast<std::int64_t>(new_extents.size());
  ctx.parallel_ranges(p.count, detail::moved_per_block / 8, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      std::int64_t place = 0;
      for (std::int64_t k = 0; k < p.rank; ++k) place = place * extents[static_cast<std::size_t>(k)] + p[i][k];
      std::int64_t* const result = new_indices.data() + i * rank;
      for (std::int64_t k = rank - 1; k >= 0; --k) {
        const std::int64_t extent = new_extents[static_cast<std::size_t>(k)];
        result[k] = place % extent;
        place /= extent;
      }
    }
  });
}

}  // namespace flowgraph
