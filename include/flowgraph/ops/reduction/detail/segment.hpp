#pragma once

#include <flowgraph/ops/reduction/detail/reduction.hpp>
#include <flowgraph/ops/shared/detail/segment_rows.hpp>
#include <flowgraph/ops/reduction/segment.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::segment_shape(shape_context& c, const shape& data, const shape& ids) {
  if (data.rank == 0) return c.fail("data must have at least one axis");
  if (ids.has_rank() && ids.rank != 1) return c.fail("segment_ids must be a vector");
  if (!data.has_rank()) return shape::unknown();
  if (ids.has_rank() && ids[0] >= 0 && data[0] >= 0 && ids[0] != data[0])
    return c.fail("segment_ids must name a segment for each row of data");
  shape result = data;
  result[0] = -1;
  return result;
}

namespace detail {

template <class F, class T>
void reduce_ascending_segments(cpu ctx, view<const T> data, const index_list& ids, unsized<T> y, segment_scale scale) {
  segment_terms terms;
  terms.to = ids;
  terms.rows = count_segments(ctx, ids);
  if (terms.rows < 0) return;
  terms.width = product_of(data.shape(), 1, data.rank());
  shape extents = data.shape();
  extents[0] = terms.rows;
  const view<T> result = y.resize(extents);
  if (ctx.failed()) return;
  reduce_segments<F>(ctx, terms, data.data(), result.data(), T(std::is_same_v<F, multiplied_terms> ? 1 : 0), scale);
}

}  // namespace detail

template <class Op>
template <class T, class I>
void segment_reduction<Op>::operator()(cpu ctx, view<const T> data, index_view<I> ids, unsized<T> y) const {
  constexpr bool is_mean = requires { Op::is_mean; };
  detail::reduce_ascending_segments<typename Op::function>(ctx, data, detail::index_list(ids), y,
                                                           is_mean ? detail::segment_scale::count : detail::segment_scale::none);
}

template <class Op>
template <class T, class I, class N>
void unsorted_segment_reduction<Op>::operator()(cpu ctx, view<const T> data, index_view<I> ids, index_view<N>, view<T> y) const {
  using function = typename Op::function;
  T empty;
  if constexpr (std::is_same_v<function, detail::largest_term>) empty = detail::least_finite<T>();
  else if constexpr (std::is_same_v<function, detail::smallest_term>) empty = detail::largest_finite<T>();
  else empty = T(1);
  detail::reduce_unsorted_segments<function>(ctx, detail::index_list(ids), data, y, empty);
}

}  // namespace flowgraph
