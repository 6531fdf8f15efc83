#pragma once

#include <flowgraph/ops/random/detail/draw.hpp>
#include <flowgraph/ops/random/detail/seed.hpp>
#include <flowgraph/ops/random/stateless.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE bool detail::is_seed(shape_context& c, const flowgraph::shape& seed) {
  if (fits(seed, shape{2})) return true;
  return detail::fail_check(c, "the seed must be a vector of two integers");
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::seeded_shape(shape_context& c, const shape& dims, const shape& seed) {
  return is_seed(c, seed) ? random_shape(c, dims) : shape();
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::counted_shape(shape_context& c, const shape& dims, const shape& key,
                                                                   const shape& counter, const shape& alg) {
  if (!fits(key, shape{1})) return c.fail("the key must be a vector of one number");
  if (counter.has_rank() && counter.rank != 1) return c.fail("the counter must be a vector");
  if (alg.has_rank() && alg.rank != 0) return c.fail("the algorithm must be a scalar");
  return random_shape(c, dims);
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::scalar_bounds(shape_context& c, const shape& drawn, const shape& minval,
                                                                   const shape& maxval) {
  return c.failed() || (minval.rank <= 0 && maxval.rank <= 0) ? drawn : c.fail("minval and maxval must be scalars");
}

template <class Op>
template <class T, class I, class S>
void detail::seeded_draw<Op>::operator()(cpu ctx, index_view<I>, index_view<S> seed, view<T> y) const {
  draw_numbers<Op::distribution>(ctx, source_at(seed), y);
}
template <class Op>
template <class T, class I>
void detail::counted_draw<Op>::operator()(cpu ctx, index_view<I>, view<const std::uint64_t> key,
                                          view<const std::uint64_t> counter, view<const std::int32_t> alg, view<T> y) const {
  if (const auto source = source_at(ctx, key, counter, alg)) draw_numbers<Op::distribution>(ctx, *source, y);
}

template <class T, class I, class S>
void stateless_random_uniform_int_op::operator()(cpu ctx, index_view<I>, index_view<S> seed, view<const T> minval,
                                                 view<const T> maxval, view<T> y) const {
  if (y.size() == 0 || !detail::check_bounds(ctx, minval.scalar(), maxval.scalar())) return;
  detail::draw_range(ctx, detail::source_at(seed), minval.scalar(), maxval.scalar(), y);
}

template <class T, class I>
void stateless_random_uniform_int_v2_op::operator()(cpu ctx, index_view<I>, view<const std::uint64_t> key,
                                                    view<const std::uint64_t> counter, view<const std::int32_t> alg,
                                                    view<const T> minval, view<const T> maxval, view<T> y) const {
  const auto source = detail::source_at(ctx, key, counter, alg);
  if (!source || y.size() == 0 || !detail::check_bounds(ctx, minval.scalar(), maxval.scalar())) return;
  detail::draw_range(ctx, *source, minval.scalar(), maxval.scalar(), y);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list stateless_random_get_key_counter_op::shape(shape_context& c,
                                                                                             const flowgraph::shape& seed) const {
  detail::is_seed(c, seed);
  return {flowgraph::shape{1}, flowgraph::shape{2}};
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list
stateless_random_get_key_counter_alg_op::shape(shape_context& c, const flowgraph::shape& seed) const {
  detail::is_seed(c, seed);
  return {flowgraph::shape{1}, flowgraph::shape{2}, flowgraph::shape{}};
}

template <class S>
void stateless_random_get_key_counter_op::operator()(cpu, index_view<S> seed, view<std::uint64_t> key,
                                                     view<std::uint64_t> counter) const {
  const detail::generator_start start = detail::start_of(seed);
  key[0] = start.key;
  counter[0] = 0;
  counter[1] = start.stream;
}
template <class S>
void stateless_random_get_key_counter_alg_op::operator()(cpu ctx, index_view<S> seed, view<std::uint64_t> key,
                                                         view<std::uint64_t> counter, view<std::int32_t> alg) const {
  stateless_random_get_key_counter_op{}(ctx, seed, key, counter);
  alg.scalar() = 1;  // Philox
}

}  // namespace flowgraph
