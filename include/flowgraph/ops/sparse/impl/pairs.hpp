#pragma once

#include <flowgraph/ops/sparse/detail/pairs.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE detail::sparse_layout detail::check_sparse_pair(shape_context& c, const shape& a_indices,
                                                                                const shape& a_values, const shape& a_extents,
                                                                                const shape& b_indices, const shape& b_values,
                                                                                const shape& b_extents) {
  const sparse_layout a = check_sparse_layout(c, a_indices, a_values, a_extents);
  if (c.failed()) return {};
  const sparse_layout b = check_sparse_layout(c, b_indices, b_values, b_extents);
  if (!c.failed() && !fits({a.rank}, {b.rank})) c.fail("the two sparse tensors must have the same number of axes");
  return {-1, a.rank >= 0 ? a.rank : b.rank};
}

FLOWGRAPH_INLINE bool detail::check_pair(cpu ctx, const places& a, const places& b, view<const std::int64_t> a_extents,
                                         view<const std::int64_t> b_extents) {
  for (std::size_t k = 0; k < a_extents.size(); ++k)
    if (a_extents[k] != b_extents[k]) {
      ctx.fail(
          message{"the two sparse tensors must have the same shape: extent ", k, " is ", a_extents[k], " and ", b_extents[k]});
      return false;
    }
  const auto check_one = [&](const places& p, view<const std::int64_t> extents) {
    for (std::int64_t i = 0; i < p.count; ++i)
      for (std::int64_t k = 0; k < p.rank; ++k)
        if (const std::int64_t extent = extents[static_cast<std::size_t>(k)]; p[i][k] < 0 || p[i][k] >= extent) {
          refuse_index(ctx, i, k, p[i][k], extent);
          return false;
        }
    return true;
  };
  return check_one(a, a_extents) && check_one(b, b_extents);
}

}  // namespace flowgraph
