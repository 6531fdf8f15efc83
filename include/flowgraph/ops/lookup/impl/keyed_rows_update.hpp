#pragma once
// Updates of rows, by gradients that are stored or computed when they are needed.

#include <flowgraph/ops/kernel/dispatch.hpp>
#include <flowgraph/ops/kernel/interactions.hpp>
#include <flowgraph/ops/lookup/impl/keyed_rows_places.hpp>

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/kernel/interaction_loops.hpp>
#endif

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The gradients of a call as a matrix with a row for each key.
struct gradient_matrix {
  static constexpr std::size_t ahead = 16;
  const float* all;
  std::size_t columns;

  void fetch(std::uint32_t number) const {
    for (std::size_t at = 0; at < columns; at += 16) FLOWGRAPH_FETCH(all + number * columns + at);
  }
  const float* sum(const float*, std::span<const std::uint32_t> numbers, float* to) const {
    if (numbers.size() == 1) return all + numbers[0] * columns;
    const auto width = static_cast<std::int64_t>(columns);
    auto* const sum_of_rows = kernel::dispatch(
        []<class L>(L) { return &kernel::interaction_kernels<L>::template sum_of_rows<float>; }, kernel::level_of_rows(width));
    sum_of_rows(all, numbers.data(), static_cast<std::int64_t>(numbers.size()), width, to);
    return to;
  }
};

// Gradients that the caller computes.
struct computed_gradients {
  static constexpr std::size_t ahead = 0;
  row_gradient of;

  void fetch(std::uint32_t) const {}
  const float* sum(const float* row, std::span<const std::uint32_t> numbers, float* to) const { return of(row, numbers, to); }
};

}  // namespace detail

template <class Gradient>
FLOWGRAPH_INLINE void keyed_rows::apply(const places& p, std::size_t shard, const Gradient& gradient, const row_rule& rule,
                                        row_step step) {
  const std::size_t columns = static_cast<std::size_t>(options_.columns), first = p.begin[shard], n = p.size_of_shard(shard);
  const std::uint32_t *const groups = p.groups + first, *const ends = p.ends + first;
  std::byte* const* const rows = p.rows + first;
  const std::uint32_t now = steps();
  const bool is_in_place = has_floats_in_place();
  float* const sum = p.sums + 2 * columns * shard;
  for (std::size_t u = 0, at = 0; u < p.row_count[shard]; ++u) {
    if (u + places::rows_ahead < p.row_count[shard]) fetch(rows[u + places::rows_ahead], 0, row_bytes_);
    const std::size_t begin = at, end = ends[u];
    for (; at < end; ++at)
      if (at + gradient.ahead < n) gradient.fetch(groups[at + gradient.ahead]);
    const float* row = reinterpret_cast<const float*>(rows[u] + detail::offset_of_weights);
    if (!is_in_place) {
      load(rows[u], sum + columns);
      row = sum + columns;
    }
    detail::set_age(detail::header_of(rows[u]), now);
    change(rows[u], gradient.sum(row, {groups + begin, end - begin}, sum), rule, step);
  }
}

FLOWGRAPH_INLINE error keyed_rows::update(std::span<const std::int64_t> keys, const float* gradients, const row_rule& rule,
                                          row_step step, void* scratch, row_blocks blocks) {
  const detail::gradient_matrix all{gradients, static_cast<std::size_t>(options_.columns)};
  if (error why = update_rows(keys, all, rule, step, scratch, blocks)) return why;
  end_update();
  return {};
}
FLOWGRAPH_INLINE error keyed_rows::update(std::span<const std::int64_t> keys, row_gradient gradient, const row_rule& rule,
                                          row_step step, void* scratch, row_blocks blocks) {
  if (error why = update_rows(keys, detail::computed_gradients{gradient}, rule, step, scratch, blocks)) return why;
  end_update();
  return {};
}

// Counts an update, and evicts rows if it is time.
FLOWGRAPH_INLINE void keyed_rows::end_update() {
  const std::uint32_t now = step_.fetch_add(1, std::memory_order_relaxed) + 1;
  const auto after = static_cast<std::uint32_t>(options_.evict_after);
  if (after != 0 && now % after == 0) evict_older_than(after);
}

template <class Gradient>
FLOWGRAPH_INLINE error keyed_rows::update_rows(std::span<const std::int64_t> keys, const Gradient& gradient, const row_rule& rule,
                                               row_step step, void* scratch, row_blocks blocks) {
  using detail::row_shard;
  if (error why = detail::check_row_keys(keys.size())) return why;
  if (error why = adopt(rule)) return why;
  const lock_shared layout(layout_);
  if (!has_rule(rule)) return error(error_code::aborted, "another thread has removed the state of the rows");
  kept_places* const kept = places_of(keys);
  places own;
  if (!kept) {
    own = places(keys, scratch);
    if (error why = locate_all(own, blocks)) return why;
  }
  places& p = kept ? kept->of : own;
  const bool is_grouped = kept && kept->is_grouped;
  p.sums = reinterpret_cast<float*>(static_cast<std::byte*>(scratch) + keys.size() * places::bytes_of_key);
  blocks(row_shard::count, [&](std::int64_t block) {
    const std::size_t i = p.shard_of_block(block);
    if (!is_grouped) p.group(i);
    threading::unique_lock<threading::shared_mutex> lock(shards_[i].values, threading::defer_lock);
    if (!options_.without_locks) lock.lock();
    apply(p, i, gradient, rule, step);
  });
  if (kept) {
    kept->is_grouped = true;
    kept->last_use = 0;
    hand_back(kept, true);
  }
  return {};
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
