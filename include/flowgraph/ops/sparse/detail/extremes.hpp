#pragma once

#include <flowgraph/ops/shared/detail/wide.hpp>
#include <flowgraph/ops/sparse/detail/pairs.hpp>
#include <flowgraph/ops/sparse/extremes.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <class Op>
template <class T>
void sparse_extreme<Op>::operator()(cpu ctx, view<const std::int64_t> a_indices, view<const T> a_values,
                                    view<const std::int64_t> a_extents, view<const std::int64_t> b_indices,
                                    view<const T> b_values, view<const std::int64_t> b_extents, unsized<std::int64_t> new_indices,
                                    unsized<T> new_values) const {
  const detail::places a(a_indices), b(b_indices);
  if (!detail::check_pair(ctx, a, b, a_extents, b_extents)) return;
  std::int64_t count = 0;
  detail::merge_places(a, b, [&](std::int64_t, std::int64_t) { ++count; });
  const view<std::int64_t> indices = new_indices.resize({count, a.rank});
  const view<T> values = new_values.resize({count});
  if (ctx.failed()) return;
  std::int64_t result = 0;
  detail::merge_places(a, b, [&](std::int64_t i, std::int64_t j) {
    const T x = i >= 0 ? a_values[static_cast<std::size_t>(i)] : T(), y = j >= 0 ? b_values[static_cast<std::size_t>(j)] : T();
    std::copy_n(i >= 0 ? a[i] : b[j], a.rank, indices.data() + result * a.rank);
    const bool takes_second = y != y || (Op::takes_larger ? detail::is_larger(y, x) : detail::is_larger(x, y));
    values[static_cast<std::size_t>(result++)] = takes_second ? y : x;
  });
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/extremes.hpp>
#endif
