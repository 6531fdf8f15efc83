#pragma once

#include <flowgraph/core/half.hpp>
#include <flowgraph/core/message.hpp>
#include <flowgraph/ops/lookup/keyed_rows.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

inline bool is_row_storage(dtype t) { return t == dtype::float32 || t == dtype::float16 || t == dtype::bfloat16; }
inline std::size_t bytes_of_row(const keyed_rows_options& o, std::size_t states) {
  const std::size_t columns = static_cast<std::size_t>(o.columns);
  return (columns * (states * sizeof(float) + size_of(o.storage)) + 3) / 4 * 4;
}
template <class F> void with_row_storage(dtype storage, F&& f) {
  if (storage == dtype::float32) f(float{});
  else if (storage == dtype::float16) f(half{});
  else f(bfloat16{});
}
// A number that another thread may write at the same time.
template <class T> T shared_number(const T* from) {
#if defined(__GNUC__) || defined(__clang__)
  T made;
  __atomic_load(const_cast<T*>(from), &made, __ATOMIC_RELAXED);
  return made;
#else
  return std::atomic_ref<T>(*const_cast<T*>(from)).load(std::memory_order_relaxed);
#endif
}
template <class T> void set_shared_number(T* to, T value) {
#if defined(__GNUC__) || defined(__clang__)
  __atomic_store(to, &value, __ATOMIC_RELAXED);
#else
  std::atomic_ref<T>(*to).store(value, std::memory_order_relaxed);
#endif
}

// The working memory of one call, as its parts.
struct row_scratch {
  std::byte** at;                               // the row of each key; null: none, or named before
  std::uint32_t *order, *next, *last, *places;  // keys by shard; the next key with the same row; a table of 4 places a key
  float* sums;                                  // one row a shard

  row_scratch(void* memory, std::size_t n)
      : at(static_cast<std::byte**>(memory)), order(reinterpret_cast<std::uint32_t*>(at + n)), next(order + n), last(next + n),
        places(last + n), sums(reinterpret_cast<float*>(places + 4 * n)) {}
};

inline constexpr std::int64_t most_row_keys = std::int64_t{1} << 28;

inline error check_row_keys(std::size_t n) {
  if (n <= static_cast<std::size_t>(most_row_keys)) return {};
  return error(error_code::invalid_argument, message{"expected up to ", most_row_keys, " keys a call, found ", n});
}

}  // namespace detail

// The keys of one call, in the order of their shards.
struct keyed_rows::batch {
  std::span<const std::int64_t> keys;
  detail::row_scratch s;
  std::array<std::size_t, detail::row_shard::count + 1> begin{};

  batch(std::span<const std::int64_t> given, void* memory) : keys(given), s(memory, given.size()) {
    using detail::hash_of_key, detail::row_shard;
    for (const std::int64_t key : keys) ++begin[row_shard::of_hash(hash_of_key(key)) + 1];
    for (std::size_t i = 0; i < row_shard::count; ++i) begin[i + 1] += begin[i];
    auto at = begin;
    for (std::size_t i = 0; i < keys.size(); ++i)
      s.order[at[row_shard::of_hash(hash_of_key(keys[i]))]++] = static_cast<std::uint32_t>(i);
  }
  // Has the processor fetch what the loop over the keys of a shard needs a few keys later.
  void fetch_entry(const detail::row_shard& shard, std::span<const std::uint32_t> mine, std::size_t later) const {
    if (later < mine.size()) shard.fetch(detail::hash_of_key(keys[mine[later]]));
  }
  void fetch_row(std::span<const std::uint32_t> mine, std::size_t later, std::size_t bytes) const {
    if (later >= mine.size() || !s.at[mine[later]]) return;
    for (std::size_t at = 0; at < bytes; at += 64) FLOWGRAPH_FETCH(s.at[mine[later]] + at);
  }
  static constexpr std::size_t keys_ahead = 8, rows_ahead = 4;

  std::span<const std::uint32_t> of_shard(std::size_t i) const { return {s.order + begin[i], begin[i + 1] - begin[i]}; }
};

// ---- sizes

FLOWGRAPH_INLINE double keyed_rows::estimated_bytes(const keyed_rows_options& o, std::size_t states, std::int64_t rows) {
  using detail::row_shard;
  const double one = static_cast<double>(o.columns) * static_cast<double>(states * sizeof(float) + size_of(o.storage));
  const double entries = std::exp2(std::ceil(std::log2(static_cast<double>(rows) / row_shard::count * 4 / 3 + 1)));
  return static_cast<double>(rows) * one + entries * row_shard::count * sizeof(detail::row_entry);
}

FLOWGRAPH_INLINE error keyed_rows::refusal(const keyed_rows_options& o) {
  const auto refuse = [](const message& why) { return error(error_code::invalid_argument, why); };
  constexpr std::int64_t most_columns = 1 << 20;
  if (o.columns < 1 || o.columns > most_columns)
    return refuse({"the rows of a table must have 1 to ", most_columns, " columns, found ", o.columns});
  if (!detail::is_row_storage(o.storage))
    return refuse({"rows are stored in float, half or bfloat16, found ", name_of(o.storage)});
  if (!std::isfinite(o.initial_scale) || o.initial_scale < 0) return refuse({"initial_scale must be finite and not negative"});
  if (o.expected_rows < 0) return refuse({"expected_rows must not be negative, found ", o.expected_rows});
  const double needed = estimated_bytes(o, 0, o.expected_rows);
  if (needed <= static_cast<double>(o.memory_limit)) return {};
  return error(error_code::resource_exhausted,
               message{o.expected_rows, " rows of ", o.columns, " columns need about ", static_cast<std::uint64_t>(needed),
                       " bytes; memory_limit is ", o.memory_limit});
}

FLOWGRAPH_INLINE keyed_rows::keyed_rows(const keyed_rows_options& o, std::pmr::memory_resource* memory)
    : options_(o), memory_(memory), row_bytes_(detail::bytes_of_row(o, 0)) {}
FLOWGRAPH_INLINE keyed_rows::~keyed_rows() { clear_rows(); }

FLOWGRAPH_INLINE std::int64_t keyed_rows::size() const {
  const lock_shared lock(layout_);
  std::size_t n = 0;
  for (const detail::row_shard& s : shards_) {
    const threading::lock_guard own(s.mutex);
    n += s.size;
  }
  return static_cast<std::int64_t>(n);
}

FLOWGRAPH_INLINE std::size_t keyed_rows::scratch_bytes(std::int64_t keys, std::int64_t columns) {
  const auto n = static_cast<std::size_t>(std::clamp<std::int64_t>(keys, 0, detail::most_row_keys));
  return n * (sizeof(std::byte*) + 7 * sizeof(std::uint32_t)) +
         detail::row_shard::count * static_cast<std::size_t>(std::max<std::int64_t>(columns, 0)) * sizeof(float) + sizeof(void*);
}

FLOWGRAPH_INLINE float keyed_rows::initial_value(std::uint64_t seed, std::int64_t key, std::int64_t column, float scale) {
  const std::uint64_t of_key = detail::mixed_bits(detail::hash_of_key(key) ^ detail::mixed_bits(seed));
  const std::uint64_t random = detail::mixed_bits(of_key + static_cast<std::uint64_t>(column) * 0x9e3779b97f4a7c15u);
  const auto centered = static_cast<std::int32_t>(random >> 40) - (1 << 23);
  return static_cast<float>(centered) * (scale * 0x1p-23f);
}

// ---- rows

FLOWGRAPH_INLINE void keyed_rows::load(const std::byte* row, float* to) const {
  const auto n = static_cast<std::size_t>(options_.columns);
  if (options_.storage == dtype::float32 && !options_.without_locks) {
    std::memcpy(to, row + weight_offset(), n * sizeof(float));
    return;
  }
  detail::with_row_storage(options_.storage, [&]<class T>(T) {
    const T* const w = reinterpret_cast<const T*>(row + weight_offset());
    if (options_.without_locks) {
      for (std::size_t c = 0; c < n; ++c) to[c] = static_cast<float>(detail::shared_number(w + c));
    } else {
      for (std::size_t c = 0; c < n; ++c) to[c] = static_cast<float>(w[c]);
    }
  });
}

FLOWGRAPH_INLINE void keyed_rows::change(std::byte* row, const float* gradient, const row_rule& rule, row_step step) const {
  constexpr std::int64_t part = 64;
  const std::int64_t columns = options_.columns;
  float* const state = reinterpret_cast<float*>(row);
  if (options_.storage == dtype::float32 && !options_.without_locks) {
    float* v[1 + row_rule::most_states] = {reinterpret_cast<float*>(row + weight_offset())};
    for (std::size_t i = 0; i < rule.states; ++i) v[i + 1] = state + i * static_cast<std::size_t>(columns);
    return step(v, gradient, columns);
  }
  detail::with_row_storage(options_.storage, [&]<class T>(T) {
    T* const w = reinterpret_cast<T*>(row + weight_offset());
    float values[1 + row_rule::most_states][part];
    float* v[1 + row_rule::most_states];
    for (std::size_t i = 0; i <= row_rule::most_states; ++i) v[i] = values[i];
    for (std::int64_t first = 0; first < columns; first += part) {
      const std::int64_t n = std::min(part, columns - first);
      for (std::int64_t c = 0; c < n; ++c) v[0][c] = static_cast<float>(detail::shared_number(w + first + c));
      for (std::size_t i = 0; i < rule.states; ++i)
        for (std::int64_t c = 0; c < n; ++c)
          v[i + 1][c] = detail::shared_number(state + static_cast<std::int64_t>(i) * columns + first + c);
      step(v, gradient + first, n);
      for (std::int64_t c = 0; c < n; ++c) detail::set_shared_number(w + first + c, T(v[0][c]));
      for (std::size_t i = 0; i < rule.states; ++i)
        for (std::int64_t c = 0; c < n; ++c)
          detail::set_shared_number(state + static_cast<std::int64_t>(i) * columns + first + c, v[i + 1][c]);
    }
  });
}

// ---- calls

FLOWGRAPH_INLINE error keyed_rows::look_up(std::span<const std::int64_t> keys, float* rows, void* scratch, row_blocks blocks,
                                           bool make) {
  using detail::row_entry, detail::row_shard;
  if (error why = detail::check_row_keys(keys.size())) return why;
  const batch b(keys, scratch);
  const auto columns = static_cast<std::size_t>(options_.columns);
  const std::uint32_t now = steps();
  std::array<error, row_shard::count> whys;
  const lock_shared layout(layout_);
  blocks(row_shard::count, [&](std::int64_t i) {
    row_shard& s = shards_[static_cast<std::size_t>(i)];
    threading::unique_lock<threading::mutex> lock(s.mutex);
    const auto mine = b.of_shard(static_cast<std::size_t>(i));
    for (std::size_t j = 0; j < mine.size(); ++j) {
      const std::uint32_t k = mine[j];
      b.fetch_entry(s, mine, j + batch::keys_ahead);
      const std::uint64_t hash = detail::hash_of_key(keys[k]);
      const row_entry* e = nullptr;
      if (make) {
        row_entry* found = nullptr;
        if (error why = find_or_make(s, keys[k], hash, found)) {
          whys[static_cast<std::size_t>(i)] = std::move(why);
          return;
        }
        found->age = now;
        e = found;
      } else {
        e = s.find(keys[k], hash);
      }
      b.s.at[k] = e ? s.row(e->row, row_bytes_) : nullptr;
    }
    if (options_.without_locks) lock.unlock();
    for (std::size_t j = 0; j < mine.size(); ++j) {
      const std::uint32_t k = mine[j];
      b.fetch_row(mine, j + batch::rows_ahead, row_bytes_);
      float* const to = rows + k * columns;
      if (b.s.at[k]) {
        load(b.s.at[k], to);
        continue;
      }
      detail::with_row_storage(options_.storage, [&]<class T>(T) {
        for (std::size_t c = 0; c < columns; ++c)
          to[c] =
              static_cast<float>(T(initial_value(options_.seed, keys[k], static_cast<std::int64_t>(c), options_.initial_scale)));
      });
    }
  });
  for (const error& why : whys)
    if (why) return why;
  return {};
}

FLOWGRAPH_INLINE error keyed_rows::find(std::span<const std::int64_t> keys, float* rows, void* scratch, row_blocks blocks) {
  return look_up(keys, rows, scratch, blocks, true);
}
FLOWGRAPH_INLINE error keyed_rows::peek(std::span<const std::int64_t> keys, float* rows, void* scratch, row_blocks blocks) {
  return look_up(keys, rows, scratch, blocks, false);
}

// The rows of one shard's keys, each at the first of the keys that name it, which the others follow.
FLOWGRAPH_INLINE error keyed_rows::locate(batch& b, std::size_t shard) {
  using detail::row_entry;
  detail::row_shard& s = shards_[shard];
  const auto mine = b.of_shard(shard);
  if (mine.empty()) return {};
  std::uint32_t* const places = b.s.places + 4 * b.begin[shard];
  const std::size_t room = std::bit_ceil(2 * mine.size());
  std::fill_n(places, room, row_entry::none);
  const std::uint32_t now = steps();
  const threading::lock_guard lock(s.mutex);
  for (std::size_t j = 0; j < mine.size(); ++j) {
    const std::uint32_t k = mine[j];
    b.fetch_entry(s, mine, j + batch::keys_ahead);
    const std::int64_t key = b.keys[k];
    const std::uint64_t hash = detail::hash_of_key(key);
    std::size_t at = static_cast<std::size_t>(hash) & (room - 1);
    while (places[at] != row_entry::none && b.keys[places[at]] != key) at = (at + 1) & (room - 1);
    b.s.next[k] = row_entry::none;
    b.s.at[k] = nullptr;
    if (places[at] != row_entry::none) {
      const std::uint32_t first = places[at];
      b.s.next[b.s.last[first]] = k;
      b.s.last[first] = k;
      continue;
    }
    places[at] = k;
    b.s.last[k] = k;
    row_entry* found = nullptr;
    if (error why = find_or_make(s, key, hash, found)) return why;
    found->age = now;
    b.s.at[k] = s.row(found->row, row_bytes_);
  }
  return {};
}

FLOWGRAPH_INLINE error keyed_rows::update(std::span<const std::int64_t> keys, const float* gradients, const row_rule& rule,
                                          row_step step, void* scratch, row_blocks blocks) {
  using detail::row_shard;
  if (error why = detail::check_row_keys(keys.size())) return why;
  if (error why = adopt(rule)) return why;
  batch b(keys, scratch);
  const auto columns = static_cast<std::size_t>(options_.columns);
  std::array<error, row_shard::count> whys;
  const lock_shared layout(layout_);
  if (!has_rule(rule)) return error(error_code::aborted, "another thread has removed the state of the rows");
  blocks(row_shard::count, [&](std::int64_t i) { whys[static_cast<std::size_t>(i)] = locate(b, static_cast<std::size_t>(i)); });
  for (const error& why : whys)
    if (why) return why;
  blocks(row_shard::count, [&](std::int64_t i) {
    threading::unique_lock<threading::mutex> lock(shards_[static_cast<std::size_t>(i)].mutex);
    if (options_.without_locks) lock.unlock();
    float* const sum = b.s.sums + static_cast<std::size_t>(i) * columns;
    const auto mine = b.of_shard(static_cast<std::size_t>(i));
    for (std::size_t j = 0; j < mine.size(); ++j) {
      const std::uint32_t k = mine[j];
      b.fetch_row(mine, j + batch::rows_ahead, row_bytes_);
      if (!b.s.at[k]) continue;
      const float* gradient = gradients + k * columns;
      if (b.s.next[k] != detail::row_entry::none) {
        std::copy_n(gradient, columns, sum);
        for (std::uint32_t more = b.s.next[k]; more != detail::row_entry::none; more = b.s.next[more])
          for (std::size_t c = 0; c < columns; ++c) sum[c] += gradients[more * columns + c];
        gradient = sum;
      }
      change(b.s.at[k], gradient, rule, step);
    }
  });
  step_.fetch_add(1, std::memory_order_relaxed);
  return {};
}

namespace detail {

// Calls f with working memory from the heap, and with blocks that run one after another.
template <class F> error on_one_thread(std::size_t keys, std::int64_t columns, F&& f) {
  if (error why = check_row_keys(keys)) return why;
  const std::size_t bytes = keyed_rows::scratch_bytes(static_cast<std::int64_t>(keys), columns);
  std::vector<std::max_align_t> memory(bytes / sizeof(std::max_align_t) + 1);
  return f(memory.data(), [](std::int64_t n, function_ref<void(std::int64_t)> call) {
    for (std::int64_t i = 0; i < n; ++i) call(i);
  });
}

}  // namespace detail

FLOWGRAPH_INLINE error keyed_rows::find(std::span<const std::int64_t> keys, float* rows) {
  return detail::on_one_thread(keys.size(), options_.columns,
                               [&](void* scratch, auto blocks) { return find(keys, rows, scratch, blocks); });
}
FLOWGRAPH_INLINE error keyed_rows::peek(std::span<const std::int64_t> keys, float* rows) {
  return detail::on_one_thread(keys.size(), options_.columns,
                               [&](void* scratch, auto blocks) { return peek(keys, rows, scratch, blocks); });
}
FLOWGRAPH_INLINE error keyed_rows::update(std::span<const std::int64_t> keys, const float* gradients, const row_rule& rule,
                                          row_step step) {
  return detail::on_one_thread(keys.size(), options_.columns,
                               [&](void* scratch, auto blocks) { return update(keys, gradients, rule, step, scratch, blocks); });
}

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
