#pragma once

#include <flowgraph/ops/shared/detail/wide.hpp>
#include <flowgraph/ops/sparse/add.hpp>
#include <flowgraph/ops/sparse/detail/pairs.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns whether |x| >= threshold. The absolute value of the lowest integer counts as positive.
template <class T, class R> bool reaches(const T& x, R threshold) {
  if constexpr (std::is_integral_v<T>) {
    const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
    return threshold <= 0 || (x < 0 ? std::uint64_t{0} - bits : bits) >= static_cast<std::uint64_t>(threshold);
  } else {
    return threshold <= std::abs(x);
  }
}

template <class T>
void add_sparse(cpu ctx, const places& a, view<const T> a_values, const places& b, view<const T> b_values,
                typename threshold_of<T>::type threshold, const unsized<std::int64_t>& sum_indices,
                const unsized<T>& sum_values) {
  const auto sum_of = [&](std::int64_t i, std::int64_t j) {
    if (j < 0) return a_values[static_cast<std::size_t>(i)];
    T sum = b_values[static_cast<std::size_t>(j)];
    if (i >= 0) add_in_place(sum, a_values[static_cast<std::size_t>(i)]);
    return sum;
  };
  // The threshold applies only to places that both summands have.
  const auto remains = [&](std::int64_t i, std::int64_t j) { return i < 0 || j < 0 || reaches(sum_of(i, j), threshold); };
  std::int64_t count = 0;
  merge_places(a, b, [&](std::int64_t i, std::int64_t j) { count += remains(i, j); });
  const view<std::int64_t> indices = sum_indices.resize({count, a.rank});
  const view<T> values = sum_values.resize({count});
  if (ctx.failed()) return;
  std::int64_t result = 0;
  merge_places(a, b, [&](std::int64_t i, std::int64_t j) {
    if (!remains(i, j)) return;
    std::copy_n(i >= 0 ? a[i] : b[j], a.rank, indices.data() + result * a.rank);
    values[static_cast<std::size_t>(result++)] = sum_of(i, j);
  });
}

// Calls f(part, k) for each element of a summand that the sum contains at row k.
template <class F> void find_summands(const places& a, const places& b, const places& sum, const F& f) {
  const auto advance = [&](const places& p, std::int64_t& at, std::int64_t k, int part) {
    if (at == p.count) return true;
    const int found = compare_places(p[at], sum[k], p.rank);
    if (found == 0) f(part, at, k);
    if (found <= 0) ++at;
    return found >= 0;
  };
  for (std::int64_t i = 0, j = 0, k = 0; (i < a.count || j < b.count) && k < sum.count;) {
    const bool passes_a = advance(a, i, k, 0), passes_b = advance(b, j, k, 1);
    if (passes_a && passes_b) ++k;
  }
}

// Checks all places, and copies b to y.
bool begin_dense_sum(cpu ctx, any_indices indices, any_indices extents, const shape& b);

}  // namespace detail

template <class T, class R>
void sparse_add_op::operator()(cpu ctx, view<const std::int64_t> a_indices, view<const T> a_values,
                               view<const std::int64_t> a_extents, view<const std::int64_t> b_indices, view<const T> b_values,
                               view<const std::int64_t> b_extents, view<const R> threshold, unsized<std::int64_t> sum_indices,
                               unsized<T> sum_values, view<std::int64_t> sum_extents) const {
  const detail::places a(a_indices), b(b_indices);
  if (!detail::check_pair(ctx, a, b, a_extents, b_extents)) return;
  std::copy(a_extents.begin(), a_extents.end(), sum_extents.begin());
  detail::add_sparse<T>(ctx, a, a_values, b, b_values, static_cast<typename detail::threshold_of<T>::type>(threshold.scalar()),
                        sum_indices, sum_values);
}

template <class T>
void sparse_add_grad_op::operator()(cpu, view<const T> slopes, view<const std::int64_t> a, view<const std::int64_t> b,
                                    view<const std::int64_t> sum, view<T> da, view<T> db) const {
  std::fill(da.begin(), da.end(), T());
  std::fill(db.begin(), db.end(), T());
  detail::find_summands(detail::places(a), detail::places(b), detail::places(sum), [&](int part, std::int64_t i, std::int64_t k) {
    (part == 0 ? da : db)[static_cast<std::size_t>(i)] = slopes[static_cast<std::size_t>(k)];
  });
}

template <class T, class I>
void sparse_tensor_dense_add_op::operator()(cpu ctx, index_view<I> indices, view<const T> values, index_view<I> extents,
                                            view<const T> b, view<T> y) const {
  if (!detail::begin_dense_sum(ctx, indices, extents, b.shape())) return;
  detail::copy_elements(detail::layout_of<T>, b.data(), y.data(), static_cast<std::int64_t>(y.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::int64_t at = 0;
    for (int k = 0; k < b.rank(); ++k)
      at = at * b.dim(k) + indices[i * static_cast<std::size_t>(b.rank()) + static_cast<std::size_t>(k)];
    detail::add_in_place(y[static_cast<std::size_t>(at)], values[i]);
  }
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/add.hpp>
#endif
