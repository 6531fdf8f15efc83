#pragma once

#include <flowgraph/ops/reduction/detail/reduction.hpp>
#include <flowgraph/ops/shared/detail/segment_rows.hpp>
#include <flowgraph/ops/reduction/segment.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::segment_shape(shape_context& c, const shape& data, const shape& ids) {
  if (data.rank == 0) return c.fail("data must have at least one axis");
  if (ids.has_rank() && ids.rank != 1) return c.fail("segment_ids must be a vector");
  if (!data.has_rank()) return shape::unknown();
  if (ids.has_rank() && ids[0] >= 0 && data[0] >= 0 && ids[0] != data[0])
    return c.fail("segment_ids must name a segment for each row of data");
  shape made = data;
  made[0] = -1;
  return made;
}

template <class Op>
template <class T, class I>
void segment_reduction<Op>::operator()(cpu ctx, view<const T> data, view<const I> ids, unsized<T> y) const {
  using function = typename Op::function;
  constexpr bool is_mean = requires { Op::is_mean; }, is_product = std::is_same_v<function, detail::multiplied_terms>;
  detail::segment_terms terms;
  terms.to = detail::index_list(ids);
  terms.rows = detail::count_segments(ctx, terms.to);
  if (terms.rows < 0) return;
  terms.width = detail::product_of(data.shape(), 1, data.rank());
  flowgraph::shape made = data.shape();
  made[0] = terms.rows;
  const view<T> result = y.resize(made);
  if (ctx.failed()) return;
  detail::reduce_segments<function>(ctx, terms, data.data(), result.data(), T(is_product ? 1 : 0),
                                    is_mean ? detail::segment_scale::count : detail::segment_scale::none);
}

template <class Op>
template <class T, class I, class N>
void unsorted_segment_reduction<Op>::operator()(cpu ctx, view<const T> data, view<const I> ids, view<const N>, view<T> y) const {
  using function = typename Op::function;
  T empty;
  if constexpr (std::is_same_v<function, detail::largest_term>) empty = detail::lowest<T>();
  else if constexpr (std::is_same_v<function, detail::smallest_term>) empty = detail::highest<T>();
  else empty = T(1);
  detail::reduce_unsorted_segments<function>(ctx, detail::index_list(ids), data, y, empty);
}

}
}  // namespace flowgraph
