#pragma once
// The memory of a table of rows, and where the rows are in it.

#include <flowgraph/core/message.hpp>
#include <flowgraph/ops/lookup/impl/keyed_rows.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// ---- memory

namespace detail {

inline constexpr std::size_t large_page = std::size_t{2} << 20;
inline std::size_t alignment_of_rows(std::size_t bytes) noexcept {
  return bytes >= large_page ? large_page : bytes >= 4096 ? 64 : alignof(std::max_align_t);
}

// Rows of this size take few address translations for their bytes. Large pages would not make them faster, but the system takes
// longer to provide large pages than small ones.
inline constexpr std::size_t long_row = 1024;

// Requests large pages from the system, so that the processor caches the address translations of more rows.
inline void wish_large_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (alignment_of_rows(bytes) == large_page) static_cast<void>(madvise(begin, bytes, MADV_HUGEPAGE));
#endif
}

}  // namespace detail

FLOWGRAPH_INLINE std::size_t keyed_rows::state_offset() const noexcept { return detail::offset_of_state(options_); }

FLOWGRAPH_SELDOM error keyed_rows::no_memory(std::size_t asked) const {
  if (options_.memory_limit == memory_budget::unlimited)
    return error(error_code::resource_exhausted,
                 message{"no memory for ", asked, " bytes of a table of rows, of which ", bytes(), " are in use"});
  return error(error_code::resource_exhausted, message{"no memory for ", asked, " bytes of a table of rows; memory_limit is ",
                                                       options_.memory_limit, ", of which ", bytes(), " are in use"});
}

FLOWGRAPH_INLINE void* keyed_rows::take(std::size_t bytes) {
  const std::size_t alignment = detail::alignment_of_rows(bytes);
  std::size_t used = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > options_.memory_limit || used > options_.memory_limit - bytes) return nullptr;
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  void* const result = detail::allocate_or_null(memory_, bytes, alignment);
  if (!result) used_.fetch_sub(bytes, std::memory_order_relaxed);
  return result;
}
FLOWGRAPH_INLINE void keyed_rows::give_back(void* p, std::size_t bytes) noexcept {
  memory_->deallocate(p, bytes, detail::alignment_of_rows(bytes));
  used_.fetch_sub(bytes, std::memory_order_relaxed);
}

// Returns memory for a slab from a chunk. The chunks of a large table consist of large pages if its rows are short, and each chunk
// is a small part of the table.
FLOWGRAPH_INLINE std::byte* keyed_rows::take_slab(std::size_t bytes) {
  using detail::large_page;
  const threading::lock_guard lock(chunks_mutex_);
  if (chunks_.empty() || chunks_.back().bytes - chunks_.back().used < bytes) {
    std::size_t all = 0;
    for (const chunk& c : chunks_) all += c.bytes;
    std::size_t size = all < 2 * large_page
                           ? 0
                           : (std::max(std::min(all / 8, 8 * large_page), bytes) + large_page - 1) / large_page * large_page;
    void* result = size > 0 ? take(size) : nullptr;
    if (!result) result = take(size = bytes);
    if (!result) return nullptr;
    if (bytes < detail::long_row * detail::row_shard::slab_rows) detail::wish_large_pages(result, size);
    chunks_.push_back({static_cast<std::byte*>(result), size, 0});
  }
  chunk& from = chunks_.back();
  std::byte* const slab = from.begin + from.used;
  from.used += bytes;
  return slab;
}
FLOWGRAPH_INLINE void keyed_rows::give_back_slabs(std::vector<chunk>& from) noexcept {
  for (const chunk& c : from) give_back(c.begin, c.bytes);
  from.clear();
}

// Room for one more entry, so that a quarter of the entries is free.
FLOWGRAPH_INLINE error keyed_rows::grow(detail::row_shard& s) {
  using detail::row_entry;
  if ((s.size + 1) * 4 <= s.capacity * 3) return {};
  const std::size_t capacity = s.capacity == 0 ? 16 : s.capacity * 2;
  auto* const result = static_cast<row_entry*>(take(capacity * sizeof(row_entry)));
  if (!result) return no_memory(capacity * sizeof(row_entry));
  detail::wish_large_pages(result, capacity * sizeof(row_entry));
  std::uninitialized_fill_n(result, capacity, row_entry{});
  const std::span<row_entry> old(s.entries, s.capacity);
  s.entries = result;
  s.capacity = capacity;
  for (const row_entry& e : old)
    if (e.row != row_entry::none) s.free_place(e.tag) = e;
  if (!old.empty()) give_back(old.data(), old.size_bytes());
  return {};
}

FLOWGRAPH_INLINE void keyed_rows::begin_row(std::byte* row, std::int64_t key) const {
  const std::int64_t columns = options_.columns;
  ::new (static_cast<void*>(row)) detail::row_header{key, 0, 0};
  for (std::size_t i = 0; i < rule_.states; ++i) {
    float* const state = states_of(row) + i * static_cast<std::size_t>(columns);
    std::uninitialized_fill_n(state, columns, rule_.initial[i]);
  }
  const detail::initial_row values(options_.seed, key, options_.initial_scale);
  detail::with_row_storage(options_.storage, [&]<class T>(T) {
    T* const w = reinterpret_cast<T*>(row + detail::offset_of_weights);
    for (std::int64_t c = 0; c < columns; ++c) w[c] = T(values[c]);
  });
}

FLOWGRAPH_INLINE error keyed_rows::find_or_make(detail::row_shard& s, std::int64_t key, std::uint32_t tag, std::byte*& row) {
  using detail::row_entry, detail::row_shard;
  if (s.capacity > 0) {
    const row_entry& found = s.place(key, tag, row_bytes_);
    if (found.row != row_entry::none) {
      row = s.row(found.row, row_bytes_);
      return {};
    }
  }
  if (error why = grow(s)) return why;
  if (s.first_free == row_entry::none && s.row_count % row_shard::slab_rows == 0) {
    const std::size_t size = row_bytes_ * row_shard::slab_rows;
    if (s.row_count > row_entry::none - row_shard::slab_rows - 1) return no_memory(size);
    std::byte* const slab = take_slab(size);
    if (!slab) return no_memory(size);
    s.slabs.push_back(slab);
  }
  std::uint32_t number = s.row_count;
  if (s.first_free != row_entry::none) {
    number = s.first_free;
    std::memcpy(&s.first_free, s.row(number, row_bytes_), sizeof s.first_free);
  } else {
    ++s.row_count;
  }
  row = s.row(number, row_bytes_);
  begin_row(row, key);
  s.free_place(tag) = {tag, number};
  ++s.size;
  return {};
}

// ---- the rule

FLOWGRAPH_INLINE bool keyed_rows::has_rule(const row_rule& rule) const {
  return rule.states == 0 || (rule.name == rule_name_ && rule.states == rule_.states &&
                              std::equal(rule.initial.begin(), rule.initial.begin() + static_cast<std::ptrdiff_t>(rule.states),
                                         rule_.initial.begin()));
}

// Gives all rows the state of the rule.
FLOWGRAPH_INLINE error keyed_rows::relocate(const row_rule& rule) {
  using detail::row_shard;
  const std::size_t old_bytes = row_bytes_, bytes = detail::bytes_of_row(options_, rule.states), rows = row_shard::slab_rows;
  const double needed = estimated_bytes(options_, rule.states, options_.expected_rows);
  if (needed > static_cast<double>(options_.memory_limit))
    return error(error_code::resource_exhausted,
                 message{options_.expected_rows, " rows of ", options_.columns, " columns with the state of ", rule.name,
                         " need about ", static_cast<std::uint64_t>(needed), " bytes; memory_limit is ", options_.memory_limit});
  std::array<std::vector<std::byte*>, row_shard::count> result;
  std::vector<chunk> old;
  std::swap(old, chunks_);
  for (std::size_t i = 0; i < row_shard::count; ++i)
    for (std::size_t k = 0; k < shards_[i].slabs.size(); ++k) {
      std::byte* const slab = take_slab(bytes * rows);
      if (!slab) {
        give_back_slabs(chunks_);
        std::swap(old, chunks_);
        return no_memory(bytes * rows);
      }
      result[i].push_back(slab);
    }
  const auto columns = static_cast<std::size_t>(options_.columns);
  const std::size_t header_and_weights = detail::offset_of_weights + columns * size_of(options_.storage);
  for (std::size_t i = 0; i < row_shard::count; ++i) {
    row_shard& s = shards_[i];
    std::swap(s.slabs, result[i]);
    for (std::uint32_t r = 0; r < s.row_count; ++r) {
      std::byte* const to = s.row(r, bytes);
      const std::byte* const from = result[i][r / rows] + (r % rows) * old_bytes;
      std::memcpy(to, from, header_and_weights);
      float* const states = states_of(to);
      for (std::size_t k = 0; k < rule.states; ++k) std::uninitialized_fill_n(states + k * columns, columns, rule.initial[k]);
    }
    for (std::uint32_t r = s.first_free; r != detail::row_entry::none;) {
      const std::byte* const from = result[i][r / rows] + (r % rows) * old_bytes;
      std::memcpy(s.row(r, bytes), from, sizeof r);
      std::memcpy(&r, from, sizeof r);
    }
  }
  give_back_slabs(old);
  forget_places();
  rule_name_ = std::string(rule.name);
  rule_ = rule;
  rule_.name = rule_name_;
  row_bytes_ = bytes;
  return {};
}

FLOWGRAPH_INLINE error keyed_rows::adopt(const row_rule& rule) {
  {
    const lock_shared lock(layout_);
    if (has_rule(rule)) return {};
  }
  const lock_all lock(layout_);
  if (has_rule(rule)) return {};
  if (rule.states > row_rule::most_states || rule.name.empty())
    return detail::invalid_argument(
        {"expected a rule with a name and up to ", row_rule::most_states, " states, found '", rule.name, "' with ", rule.states});
  if (rule_.states == 0) return relocate(rule);
  return error(error_code::failed_precondition, message{"the rows have the state of ", rule_name_, ", found an update by ",
                                                        rule.name, rule.name == rule_name_ ? " with other initial values" : ""});
}

// ---- eviction

FLOWGRAPH_INLINE void keyed_rows::evict(detail::row_shard& s, function_ref<bool(const detail::row_header&)> is_old) {
  for (std::size_t i = 0; i < s.capacity; ++i)
    while (s.entries[i].row != detail::row_entry::none) {
      const std::uint32_t number = s.entries[i].row;
      std::byte* const row = s.row(number, row_bytes_);
      if (!is_old(detail::header_of(row))) break;
      std::memcpy(row, &s.first_free, sizeof s.first_free);
      s.first_free = number;
      s.erase(i);
    }
}

FLOWGRAPH_INLINE std::int64_t keyed_rows::evict_older_than(std::uint32_t steps) {
  const lock_all lock(layout_);
  forget_places();
  const std::uint32_t now = this->steps();
  std::size_t removed = 0;
  for (detail::row_shard& s : shards_) {
    removed += s.size;
    evict(s, [&](const detail::row_header& row) { return now - row.age > steps; });
    removed -= s.size;
  }
  return static_cast<std::int64_t>(removed);
}

FLOWGRAPH_INLINE std::int64_t keyed_rows::evict_to(std::int64_t rows) {
  const lock_all lock(layout_);
  forget_places();
  const std::uint32_t now = steps();
  std::vector<std::pair<std::uint32_t, std::int64_t>> all;  // age and key, which order the rows: the last ones go
  for (const detail::row_shard& s : shards_)
    for (const detail::row_entry& e : std::span(s.entries, s.capacity))
      if (e.row != detail::row_entry::none) {
        const detail::row_header& row = detail::header_of(s.row(e.row, row_bytes_));
        all.emplace_back(now - row.age, row.key);
      }
  const auto keep = static_cast<std::size_t>(std::max<std::int64_t>(rows, 0));
  if (all.size() <= keep) return 0;
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(keep), all.end());
  const auto first = all[keep];
  for (detail::row_shard& s : shards_)
    evict(s, [&](const detail::row_header& row) { return std::pair(now - row.age, row.key) >= first; });
  return static_cast<std::int64_t>(all.size() - keep);
}

FLOWGRAPH_INLINE void keyed_rows::clear_rows() {
  forget_places();
  for (detail::row_shard& s : shards_) {
    if (s.entries) give_back(s.entries, s.capacity * sizeof(detail::row_entry));
    s.slabs.clear();
    s.entries = nullptr;
    s.capacity = s.size = 0;
    s.row_count = 0;
    s.first_free = detail::row_entry::none;
  }
  give_back_slabs(chunks_);
  rule_name_.clear();
  rule_ = {};
  row_bytes_ = detail::bytes_of_row(options_, 0);
}
FLOWGRAPH_INLINE void keyed_rows::clear() {
  const lock_all lock(layout_);
  clear_rows();
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
