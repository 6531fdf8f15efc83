#pragma once

#include <flowgraph/ops/random/detail/draw.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/random/random.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_KERNEL_INLINE detail::random_seeds detail::seeds_in(const graph& g, std::optional<std::int64_t> own) {
  random_seeds seeds{g.seed(), own ? *own : static_cast<std::int64_t>(g.size())};
  if (seeds.seed == 0 && seeds.seed2 == 0) seeds.seed2 = 0x7fffffff;  // both 0 would mean no seed
  return seeds;
}

FLOWGRAPH_KERNEL_INLINE flowgraph::shape detail::random_shape(shape_context& c, const flowgraph::shape& dims) {
  const flowgraph::shape extents = vector_of_integers(c, 0, dims, "the shape");
  if (c.failed()) return extents;
  if (!extents.has_rank())
    return dims.rank == 1 && dims[0] >= 0 ? shape::unknown_of_rank(static_cast<int>(dims[0])) : shape::unknown();
  for (const std::int64_t extent : extents)
    if (extent < 0) return c.fail(message{"extents must not be negative, found ", extent});
  return extents;
}

FLOWGRAPH_KERNEL_INLINE out<std::int32_t> detail::dims_in(const graph& g, const shape& extents, std::string_view kind,
                                                          const site& s) {
  const std::string name = message{s.name.empty() ? kind : s.name, "/shape"};
  tensor<std::int32_t> values(shape{extents.rank < 0 ? 0 : extents.rank});
  for (int i = 0; i < extents.rank; ++i) values.writable()[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(extents[i]);
  return constant_in(g.state(), values, {name, s.location});
}

template <class Op>
template <class T, class I>
void detail::random_draw<Op>::operator()(cpu ctx, index_view<I>, view<T> y) const {
  draw_numbers<Op::distribution>(ctx, source_of(ctx, *this, y.size()), y);
}

template <class T, class I>
void random_uniform_int_op::operator()(cpu ctx, index_view<I>, view<const T> minval, view<const T> maxval, view<T> y) const {
  if (y.size() == 0 || !detail::check_bounds(ctx, minval.scalar(), maxval.scalar())) return;
  detail::draw_range(ctx, detail::source_of(ctx, *this, y.size()), minval.scalar(), maxval.scalar(), y);
}

}  // namespace flowgraph
