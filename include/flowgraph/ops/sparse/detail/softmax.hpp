#pragma once

#include <flowgraph/ops/shared/detail/wide.hpp>
#include <flowgraph/ops/sparse/detail/places.hpp>
#include <flowgraph/ops/sparse/softmax.hpp>

#include <cmath>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Checks the extents and all places, and orders the places in scratch memory. Returns null after a failure.
const std::int64_t* order_rows(cpu ctx, const places& p, view<const std::int64_t> extents);

}  // namespace detail

template <class T>
void sparse_softmax_op::operator()(cpu ctx, view<const std::int64_t> indices, view<const T> values,
                                   view<const std::int64_t> extents, view<T> y) const {
  using kept = detail::wide<T>;
  const detail::places p(indices);
  const std::int64_t* const order = detail::order_rows(ctx, p, extents);
  if (!order) return;
  const auto value = [&](std::int64_t i) { return static_cast<kept>(values[static_cast<std::size_t>(order[i])]); };
  for (std::int64_t first = 0, end = 0; first < p.count; first = end) {
    for (end = first; end < p.count && detail::compare_places(p[order[first]], p[order[end]], p.rank - 1) == 0;) ++end;
    kept largest = value(first), sum = 0;
    for (std::int64_t i = first + 1; i < end; ++i) largest = value(i) > largest ? value(i) : largest;
    for (std::int64_t i = first; i < end; ++i) sum += std::exp(value(i) - largest);
    for (std::int64_t i = first; i < end; ++i)
      y[static_cast<std::size_t>(i)] = static_cast<T>(std::exp(value(i) - largest) * (kept(1) / sum));
  }
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/softmax.hpp>
#endif
