#pragma once

#include <flowgraph/core/message.hpp>
#include <flowgraph/ops/lookup/detail/row_numbers.hpp>
#include <flowgraph/ops/lookup/keyed_rows.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline bool is_row_storage(dtype t) { return t == dtype::float32 || t == dtype::float16 || t == dtype::bfloat16; }
inline constexpr std::size_t offset_of_weights = sizeof(row_header);
inline std::size_t offset_of_state(const keyed_rows_options& o) {
  const std::size_t end = offset_of_weights + static_cast<std::size_t>(o.columns) * size_of(o.storage), unit = alignof(float);
  return (end + unit - 1) / unit * unit;
}
inline std::size_t bytes_of_row(const keyed_rows_options& o, std::size_t states) {
  const std::size_t columns = static_cast<std::size_t>(o.columns);
  const std::size_t bytes = offset_of_state(o) + columns * states * sizeof(float), line = 64;
  // Long rows then begin at the begin or the middle of a line of the cache, so they are in fewer lines.
  const std::size_t unit = bytes < line ? 8 : line / 2;
  return (bytes + unit - 1) / unit * unit;
}
template <class F> void with_row_storage(dtype storage, F&& f) {
  if (storage == dtype::float32) f(float{});
  else if (storage == dtype::float16) f(half{});
  else f(bfloat16{});
}
inline constexpr std::int64_t most_row_keys = std::int64_t{1} << 28;

inline error check_row_keys(std::size_t n) {
  if (n <= static_cast<std::size_t>(most_row_keys)) return {};
  return invalid_argument({"expected up to ", most_row_keys, " keys a call, found ", n});
}

}  // namespace detail

// ---- sizes

FLOWGRAPH_INLINE double keyed_rows::estimated_bytes(const keyed_rows_options& o, std::size_t states, std::int64_t rows) {
  using detail::row_shard;
  const auto one = static_cast<double>(detail::bytes_of_row(o, states));
  const double entries = std::exp2(std::ceil(std::log2(static_cast<double>(rows) / row_shard::count * 4 / 3 + 1)));
  return static_cast<double>(rows) * one + entries * row_shard::count * sizeof(detail::row_entry);
}

FLOWGRAPH_INLINE error keyed_rows::refusal(const keyed_rows_options& o) {
  if (o.columns < 1 || o.columns > detail::most_row_columns)
    return detail::invalid_argument(
        {"the rows of a table must have 1 to ", detail::most_row_columns, " columns, found ", o.columns});
  if (!detail::is_row_storage(o.storage))
    return detail::invalid_argument({"rows are stored in float, half or bfloat16, found ", name_of(o.storage)});
  if (!std::isfinite(o.initial_scale) || o.initial_scale < 0)
    return detail::invalid_argument("initial_scale must be finite and not negative");
  if (o.evict_after < 0 || o.evict_after > std::numeric_limits<std::uint32_t>::max())
    return detail::invalid_argument({"evict_after must be 0 to 2^32 - 1, found ", o.evict_after});
  if (o.expected_rows < 0) return detail::invalid_argument({"expected_rows must not be negative, found ", o.expected_rows});
  const double needed = estimated_bytes(o, 0, o.expected_rows);
  if (needed <= static_cast<double>(o.memory_limit)) return {};
  return error(error_code::resource_exhausted,
               message{o.expected_rows, " rows of ", o.columns, " columns need about ", static_cast<std::uint64_t>(needed),
                       " bytes; memory_limit is ", o.memory_limit});
}

FLOWGRAPH_INLINE std::int64_t keyed_rows::size() const {
  const lock_shared lock(layout_);
  std::size_t n = 0;
  for (const detail::row_shard& s : shards_) {
    const lock_shared own(s.mutex);
    n += s.size;
  }
  return static_cast<std::int64_t>(n);
}

FLOWGRAPH_INLINE std::size_t keyed_rows::scratch_bytes(std::int64_t keys, std::int64_t columns) {
  const auto n = static_cast<std::size_t>(std::clamp<std::int64_t>(keys, 0, detail::most_row_keys));
  return n * (2 * sizeof(std::uint64_t) + 4 * sizeof(std::uint32_t)) +
         2 * detail::row_shard::count * static_cast<std::size_t>(std::max<std::int64_t>(columns, 0)) * sizeof(float);
}

namespace detail {

// The initial values of the row of a key.
class initial_row {
public:
  initial_row(std::uint64_t seed, std::int64_t key, float scale)
      : of_key_(mixed_bits(hash_of_key(key) ^ mixed_bits(seed))), unit_(scale * 0x1p-23f) {}
  float operator[](std::int64_t column) const {
    const std::uint64_t random = mixed_bits(of_key_ + static_cast<std::uint64_t>(column) * 0x9e3779b97f4a7c15u);
    return static_cast<float>(static_cast<std::int32_t>(random >> 40) - (1 << 23)) * unit_;
  }

private:
  std::uint64_t of_key_;
  float unit_;
};

}  // namespace detail

FLOWGRAPH_INLINE float keyed_rows::initial_value(std::uint64_t seed, std::int64_t key, std::int64_t column, float scale) {
  return detail::initial_row(seed, key, scale)[column];
}

// ---- rows

FLOWGRAPH_INLINE bool keyed_rows::has_floats_in_place() const noexcept {
  return options_.storage == dtype::float32 && (detail::shares_vectors || !options_.without_locks);
}
FLOWGRAPH_INLINE void keyed_rows::load(const std::byte* row, float* to) const {
  const auto n = static_cast<std::size_t>(options_.columns);
  detail::with_row_storage(options_.storage, [&]<class T>(T) {
    const T* const w = reinterpret_cast<const T*>(row + detail::offset_of_weights);
    if (options_.without_locks && !has_floats_in_place()) detail::load_shared_numbers(w, to, n);
    else detail::load_numbers(w, to, n);
  });
}
FLOWGRAPH_INLINE void keyed_rows::load_initial(std::int64_t key, float* to) const {
  const detail::initial_row values(options_.seed, key, options_.initial_scale);
  detail::with_row_storage(options_.storage, [&]<class T>(T) {
    for (std::int64_t c = 0; c < options_.columns; ++c) to[c] = static_cast<float>(T(values[c]));
  });
}

FLOWGRAPH_INLINE void keyed_rows::change(std::byte* row, const float* gradient, const row_rule& rule, row_step step) const {
  constexpr std::int64_t part = 64;
  const std::int64_t columns = options_.columns;
  float* const state = states_of(row);
  float* v[1 + row_rule::most_states] = {reinterpret_cast<float*>(row + detail::offset_of_weights)};
  for (std::size_t i = 0; i < rule.states; ++i) v[i + 1] = state + i * static_cast<std::size_t>(columns);
  if (has_floats_in_place()) return step(v, gradient, columns);
  detail::with_row_storage(options_.storage, [&]<class T>(T) {
    T* const w = reinterpret_cast<T*>(row + detail::offset_of_weights);
    float values[1 + row_rule::most_states][part];
    v[0] = values[0];
    for (std::int64_t first = 0; first < columns; first += part) {
      const std::int64_t n = std::min(part, columns - first);
      if (!options_.without_locks) {
        detail::load_numbers(w + first, v[0], static_cast<std::size_t>(n));
        step(v, gradient + first, n);
        detail::store_numbers(v[0], w + first, static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < rule.states; ++i) v[i + 1] += part;
        continue;
      }
      detail::load_shared_numbers(w + first, v[0], static_cast<std::size_t>(n));
      for (std::size_t i = 0; i < rule.states; ++i) {
        v[i + 1] = values[i + 1];
        detail::load_shared_numbers(state + static_cast<std::int64_t>(i) * columns + first, v[i + 1],
                                    static_cast<std::size_t>(n));
      }
      step(v, gradient + first, n);
      for (std::int64_t c = 0; c < n; ++c) detail::set_shared_number(w + first + c, T(v[0][c]));
      for (std::size_t i = 0; i < rule.states; ++i)
        for (std::int64_t c = 0; c < n; ++c)
          detail::set_shared_number(state + static_cast<std::int64_t>(i) * columns + first + c, v[i + 1][c]);
    }
  });
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

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
