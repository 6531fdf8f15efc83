#pragma once

#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/number.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/nn/top_k.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns the rank of an element: a number that orders elements of all types in the same way, so that they share one code.
template <class T> std::uint64_t rank_of_element(T x) {
  if constexpr (is_half<T>) {
    return rank_of_element(static_cast<float>(x));
  } else if constexpr (std::is_floating_point_v<T>) {
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr bits sign = bits(1) << (8 * sizeof(T) - 1);
    if (x != x) return 0;
    const bits b = std::bit_cast<bits>(x + T(0));  // -0 becomes 0
    return b & sign ? static_cast<bits>(~b) : b | sign;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(x)) ^ (std::uint64_t(1) << 63);
  } else {
    return x;
  }
}
template <class T> void rank_elements(const void* x, std::int64_t first, std::int64_t n, std::uint64_t* ranks) {
  const T* from = static_cast<const T*>(x) + first;
  for (std::int64_t i = 0; i < n; ++i) ranks[i] = rank_of_element(from[i]);
}

// Rows of elements of some type.
struct ranked_rows {
  const void* x;
  void (*ranks)(const void* x, std::int64_t first, std::int64_t n, std::uint64_t* ranks);
  element_layout layout;
  std::int64_t rows, n;

  template <class T> static ranked_rows of(view<const T> x) {
    const std::int64_t n = x.dim(-1);
    return {x.data(), &rank_elements<T>, layout_of<T>, n == 0 ? 0 : static_cast<std::int64_t>(x.size()) / n, n};
  }
};

// Finds the k largest elements of each row. The indices are integers of `index_bytes`.
void run_top_k(cpu ctx, const ranked_rows& r, std::int64_t k, bool sorted, void* values, void* indices, std::size_t index_bytes);
void run_nth_element(cpu ctx, const ranked_rows& r, std::int64_t n, void* y);

template <class T>
void run_in_top_k(cpu ctx, view<const float> predictions, view<const T> targets, std::int64_t k, view<bool> y) {
  const std::int64_t n = predictions.dim(1);
  ctx.parallel_ranges(predictions.dim(0), std::max<std::int64_t>(1, (1 << 15) / std::max<std::int64_t>(1, n)),
                      [&](std::int64_t first, std::int64_t last) {
                        for (std::int64_t row = first; row < last; ++row) {
                          const float* p = predictions.data() + row * n;
                          const auto target = static_cast<std::int64_t>(targets.data()[row]);
                          bool is_defined = target >= 0 && target < n && std::isfinite(p[target]);
                          std::int64_t larger = 0;
                          for (std::int64_t i = 0; is_defined && larger < k && i < n; ++i) {
                            is_defined = std::isfinite(p[i]);
                            larger += p[i] > p[target] ? 1 : 0;
                          }
                          y.data()[row] = is_defined && larger < k;
                        }
                      });
}

// Returns the number of blocks of rows that are ranked at a time. It depends only on sizes. Each block has room for all elements
// of a row.
inline std::int64_t ranking_blocks(std::int64_t rows, std::int64_t n) {
  constexpr std::int64_t most = 16, many = 1 << 22, few = 1 << 13;
  const std::int64_t of_work = rows * std::min(n, many) / few;
  return std::clamp<std::int64_t>(std::min({rows, of_work, many / std::max<std::int64_t>(1, n)}), 1, most);
}

}  // namespace detail

template <class T, class K, class I>
void top_k_v2_op::operator()(cpu ctx, view<const T> x, index_view<K> k, view<T> values, view<I> indices) const {
  if constexpr (sizeof(I) < sizeof(std::int64_t))
    if (x.dim(-1) > std::numeric_limits<I>::max())
      return ctx.fail(message{"rows of ", x.dim(-1), " elements are too long for index_type"});
  detail::run_top_k(ctx, detail::ranked_rows::of(x), k.scalar(), sorted, values.data(), indices.data(), sizeof(I));
}
template <class T> void top_k_op::operator()(cpu ctx, view<const T> x, view<T> values, view<std::int32_t> indices) const {
  detail::run_top_k(ctx, detail::ranked_rows::of(x), k, sorted, values.data(), indices.data(), sizeof(std::int32_t));
}
template <class T>
void in_top_k_op::operator()(cpu ctx, view<const float> predictions, view<const T> targets, view<bool> y) const {
  detail::run_in_top_k(ctx, predictions, targets, k, y);
}
template <class T>
void in_top_k_v2_op::operator()(cpu ctx, view<const float> predictions, view<const T> targets, view<const T> k,
                                view<bool> y) const {
  detail::run_in_top_k(ctx, predictions, targets, static_cast<std::int64_t>(k.scalar()), y);
}
template <class T> void nth_element_op::operator()(cpu ctx, view<const T> x, view<const std::int32_t> n, view<T> y) const {
  detail::run_nth_element(ctx, detail::ranked_rows::of(x), reverse ? n.scalar() : x.dim(-1) - 1 - n.scalar(), y.data());
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/nn/impl/top_k.hpp>
#endif
