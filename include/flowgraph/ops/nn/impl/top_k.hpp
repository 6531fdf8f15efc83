#pragma once

#include <flowgraph/ops/nn/detail/top_k.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::array<shape, 2> detail::largest_shape(shape_context& c, const shape& x, std::int64_t k,
                                                                           std::size_t index_bytes) {
  shape result = x;
  if (x.rank == 0) c.fail("expected at least one axis");
  else if (k < 0) c.fail(message{"k must not be negative, found ", k});
  else if (x.rank > 0 && x[-1] >= 0 && x[-1] < k) c.fail(message{"expected rows of at least k = ", k, " elements"});
  else if (x.rank > 0 && index_bytes == 4 && x[-1] > std::numeric_limits<std::int32_t>::max()) c.fail("expected shorter rows");
  else if (x.rank > 0) result[-1] = k;
  return {result, result};
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE std::array<shape, 2> detail::largest_shape(shape_context& c, const shape& x, const shape& k,
                                                                           std::size_t index_bytes) {
  shape result = x;
  if (!fits(k, {})) c.fail("k must be a scalar");
  else if (const shape count = c.integers(1); count.rank == 1) return largest_shape(c, x, count[0], index_bytes);
  else if (x.rank == 0) c.fail("expected at least one axis");
  else if (x.rank > 0) result[-1] = -1;
  return {result, result};
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape detail::matched_rows(shape_context& c, const shape& predictions, const shape& targets) {
  if (!fits(predictions, {any, any}) || !fits(targets, {any}))
    return c.fail("expected a matrix of predictions and a vector of targets");
  const shape rows{predictions.rank < 0 ? -1 : predictions[0]};
  return fits(targets, rows) ? merged(targets, rows) : c.fail("expected as many targets as rows of predictions");
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape nth_element_op::shape(shape_context& c, const flowgraph::shape& x,
                                                            const flowgraph::shape& n) const {
  using flowgraph::shape;
  if (!fits(n, {})) return c.fail("n must be a scalar");
  const shape place = c.integers(1);
  if (place.rank == 1 && place[0] < 0) return c.fail(message{"n must not be negative, found ", place[0]});
  if (!x.has_rank()) return x;
  if (x.rank == 0) return c.fail("expected at least one axis");
  if (place.rank == 1 && x[-1] >= 0 && place[0] >= x[-1])
    return c.fail(message{"expected rows of more than n = ", place[0], " elements"});
  return shape::of(x.dims, x.rank - 1);
}

namespace detail {

struct ranked {
  std::uint64_t rank;
  std::int64_t at;
};
// Orders by falling rank; equal ranks by index.
struct ranked_before {
  bool operator()(const ranked& a, const ranked& b) const { return a.rank != b.rank ? a.rank > b.rank : a.at < b.at; }
};
inline constexpr std::int64_t ranks_at_once = 256;

// Calls f(rank, index) for the elements of a row, in order.
template <class F> void for_each_rank(const ranked_rows& r, std::int64_t row, F&& f) {
  std::uint64_t ranks[ranks_at_once];
  for (std::int64_t first = 0; first < r.n; first += ranks_at_once) {
    const std::int64_t n = std::min(ranks_at_once, r.n - first);
    r.ranks(r.x, row * r.n + first, n, ranks);
    for (std::int64_t i = 0; i < n; ++i) f(ranks[i], first + i);
  }
}

inline void rank_row(const ranked_rows& r, std::int64_t row, ranked* all) {
  for_each_rank(r, row, [&](std::uint64_t rank, std::int64_t at) { all[at] = {rank, at}; });
}

// Writes the k largest elements of a row to the front of `best`, which has room for all elements. They are in order, or else in
// the order of a heap, as in TensorFlow.
inline void find_largest_of(const ranked_rows& r, std::int64_t row, std::int64_t k, bool sorted, ranked* best) {
  const ranked_before before;
  if (k == r.n || (sorted && k > r.n / 4)) {
    rank_row(r, row, best);
    if (k < r.n) std::nth_element(best, best + k, best + r.n, before);
    return std::sort(best, best + k, before);
  }
  // The worst of the kept elements is at the top, so that one comparison refuses most elements. A new element is put behind the
  // heap, and changes places with the one that is removed.
  std::int64_t held = 0;
  for_each_rank(r, row, [&](std::uint64_t rank, std::int64_t at) {
    if (held > k && rank <= best->rank) return;
    best[held > k ? k : held] = {rank, at};
    if (held > k) return std::pop_heap(best, best + k + 1, before);
    if (++held <= k) return;
    std::make_heap(best, best + held, before);
    std::pop_heap(best, best + held, before);
  });
  if (sorted) std::sort(best, best + k, before);
}

// Calls f(row, room) for all rows, on the run's threads. `room` is for all elements of a row.
template <class F> void for_each_ranked_row(cpu ctx, const ranked_rows& r, F&& f) {
  if (r.rows == 0) return;
  const std::int64_t blocks = ranking_blocks(r.rows, r.n), each = (r.rows + blocks - 1) / blocks;
  ctx.parallel_for(blocks, [&](std::int64_t block) {
    ranked* room = ctx.scratch<ranked>() + block * r.n;
    for (std::int64_t row = block * each; row < std::min((block + 1) * each, r.rows); ++row) f(row, room);
  });
}

inline void store_index(void* indices, std::size_t bytes, std::int64_t i, std::int64_t index) {
  if (bytes == 2) static_cast<std::int16_t*>(indices)[i] = static_cast<std::int16_t>(index);
  else if (bytes == 4) static_cast<std::int32_t*>(indices)[i] = static_cast<std::int32_t>(index);
  else static_cast<std::int64_t*>(indices)[i] = index;
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t detail::ranking_scratch(const shape& x) {
  if (x.rank < 1 || x.size() == 0) return 0;
  return static_cast<std::size_t>(ranking_blocks(x.size() / x[-1], x[-1]) * x[-1]) * sizeof(ranked);
}

FLOWGRAPH_INLINE void detail::run_top_k(cpu ctx, const ranked_rows& r, std::int64_t k, bool sorted, void* values, void* indices,
                                        std::size_t index_bytes) {
  if (k == 0) return;
  for_each_ranked_row(ctx, r, [&](std::int64_t row, ranked* best) {
    find_largest_of(r, row, k, sorted, best);
    for (std::int64_t i = 0; i < k; ++i) {
      copy_elements(r.layout, element_at(r.layout, r.x, row * r.n + best[i].at), element_at(r.layout, values, row * k + i), 1);
      store_index(indices, index_bytes, row * k + i, best[i].at);
    }
  });
}

FLOWGRAPH_INLINE void detail::run_nth_element(cpu ctx, const ranked_rows& r, std::int64_t n, void* y) {
  for_each_ranked_row(ctx, r, [&](std::int64_t row, ranked* all) {
    rank_row(r, row, all);
    std::nth_element(all, all + n, all + r.n, ranked_before());
    copy_elements(r.layout, element_at(r.layout, r.x, row * r.n + all[n].at), element_at(r.layout, y, row), 1);
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
