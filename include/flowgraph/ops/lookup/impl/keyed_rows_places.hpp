#pragma once
// The rows of the keys of a call. A lookup keeps them for the update of the same step, which then need not search.

#include <flowgraph/ops/lookup/impl/keyed_rows.hpp>
#include <flowgraph/ops/lookup/impl/keyed_rows_layout.hpp>

#include <algorithm>
#include <cstring>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The keys are ordered by shard. The rows of a shard are stored from begin[shard] on, each once.
struct keyed_rows::places {
  static constexpr std::size_t bytes_of_key = 2 * sizeof(std::uint64_t) + 4 * sizeof(std::uint32_t);
  static constexpr std::size_t entries_ahead = 48, rows_ahead = 16;

  std::span<const std::int64_t> keys;
  std::byte** row_of_key = nullptr;  // in the order of the call
  std::byte** rows = nullptr;        // each row once
  std::uint32_t* order = nullptr;    // indices of the keys, by shard
  std::uint32_t* number = nullptr;   // for each key by shard: the number of its row within the shard; before that, its tag
  std::uint32_t* ends = nullptr;     // for each row: the end of its keys in `groups`, counted from the begin of the shard
  std::uint32_t* groups = nullptr;   // indices of the keys, by shard and row
  float* sums = nullptr;             // two rows of working memory for each shard
  std::array<std::uint32_t, detail::row_shard::count + 1> begin{};
  std::array<std::uint32_t, detail::row_shard::count> row_count{};
  std::size_t first_shard = 0;  // concurrent calls begin with different shards

  places() = default;
  places(std::span<const std::int64_t> given, void* memory) : keys(given) {
    using detail::row_shard;
    const std::size_t n = keys.size();
    auto* const hashes = static_cast<std::uint64_t*>(memory);
    row_of_key = static_cast<std::byte**>(memory);
    rows = reinterpret_cast<std::byte**>(hashes + n);
    order = reinterpret_cast<std::uint32_t*>(hashes + 2 * n);
    number = order + n, ends = number + n, groups = ends + n;
    for (std::size_t k = 0; k < n; ++k) {
      hashes[k] = detail::hash_of_key(keys[k]);
      ++begin[row_shard::of_hash(hashes[k]) + 1];
    }
    for (std::size_t i = 0; i < row_shard::count; ++i) begin[i + 1] += begin[i];
    auto at = begin;
    for (std::size_t k = 0; k < n; ++k) {
      const std::uint32_t to = at[row_shard::of_hash(hashes[k])]++;
      order[to] = static_cast<std::uint32_t>(k);
      number[to] = row_shard::tag_of_hash(hashes[k]);
    }
  }
  std::size_t shard_of_block(std::int64_t i) const {
    return (first_shard + static_cast<std::size_t>(i)) % detail::row_shard::count;
  }
  std::size_t size_of_shard(std::size_t i) const { return begin[i + 1] - begin[i]; }

  // Orders the keys of a shard by row. Keys of the same row keep the order of the call.
  void group(std::size_t shard) const {
    const std::size_t first = begin[shard], n = size_of_shard(shard);
    std::uint32_t* const end = ends + first;
    std::uint32_t before = 0;
    for (std::size_t u = 0; u < row_count[shard]; ++u) before += std::exchange(end[u], before);
    for (std::size_t j = 0; j < n; ++j) groups[first + end[number[first + j]]++] = order[first + j];
  }
};

namespace detail {

// Sets the age of a row. In a table without locks, other calls may read the age at the same time.
inline void set_age(row_header& h, std::uint32_t now) {
  if (shared_number(&h.age) != now) set_shared_number(&h.age, now);
}

}  // namespace detail

// ---- places that are kept

struct keyed_rows::kept_places {
  static constexpr std::size_t count = 4, most_keys = std::size_t{1} << 18;

  places of;
  std::int64_t* keys = nullptr;
  void* memory = nullptr;
  std::size_t bytes = 0;
  std::uint64_t last_use = 0;
  std::uint32_t step = 0;  // the age that was set in the rows
  bool is_busy = false, is_valid = false, is_grouped = false;
  bool is_prepared = false;  // the last call was `prepare`, perhaps on another processor
};

// The elements of all rows, for reading.
struct keyed_rows::shared_rows {
  const keyed_rows& of;
  explicit shared_rows(const keyed_rows& rows) : of(rows) {
    for (const detail::row_shard& s : of.shards_) s.values.lock_shared();
  }
  ~shared_rows() {
    for (const detail::row_shard& s : of.shards_) s.values.unlock_shared();
  }
  shared_rows(const shared_rows&) = delete;
  shared_rows& operator=(const shared_rows&) = delete;
};
// The keys of all rows, for reading.
struct keyed_rows::shared_keys {
  const keyed_rows& of;
  explicit shared_keys(const keyed_rows& rows) : of(rows) {
    for (const detail::row_shard& s : of.shards_) s.mutex.lock_shared();
  }
  ~shared_keys() {
    for (const detail::row_shard& s : of.shards_) s.mutex.unlock_shared();
  }
  shared_keys(const shared_keys&) = delete;
  shared_keys& operator=(const shared_keys&) = delete;
};

FLOWGRAPH_INLINE keyed_rows::keyed_rows(const keyed_rows_options& o, std::pmr::memory_resource* memory)
    : options_(o), memory_(memory), row_bytes_(detail::bytes_of_row(o, 0)),
      kept_(std::make_unique<kept_places[]>(kept_places::count)) {}
FLOWGRAPH_INLINE keyed_rows::~keyed_rows() {
  clear_rows();
  for (kept_places& k : std::span(kept_.get(), kept_places::count))
    if (k.memory) memory_->deallocate(k.memory, k.bytes, alignof(std::max_align_t));
}

// Returns places for a lookup: those that were used least recently. Returns null if all are busy, or if there is no memory.
FLOWGRAPH_INLINE keyed_rows::kept_places* keyed_rows::room_for(std::span<const std::int64_t> keys) {
  const std::size_t n = keys.size();
  if (n == 0 || n > kept_places::most_keys) return nullptr;
  kept_places* found = nullptr;
  {
    const threading::lock_guard lock(kept_mutex_);
    for (kept_places& k : std::span(kept_.get(), kept_places::count)) {
      if (k.is_busy) continue;
      if (!found || k.last_use < found->last_use) found = &k;
    }
    if (!found) return nullptr;
    found->is_busy = true;
    found->is_valid = found->is_grouped = found->is_prepared = false;
    found->last_use = ++lookups_;
  }
  const std::size_t bytes = n * (places::bytes_of_key + sizeof(std::int64_t));
  if (found->bytes < bytes) {
    if (found->memory) memory_->deallocate(found->memory, found->bytes, alignof(std::max_align_t));
    found->memory = detail::allocate_or_null(memory_, bytes, alignof(std::max_align_t));
    found->bytes = found->memory ? bytes : 0;
  }
  if (!found->memory) {
    hand_back(found, false);
    return nullptr;
  }
  found->keys = static_cast<std::int64_t*>(found->memory);
  std::copy(keys.begin(), keys.end(), found->keys);
  found->of = places({found->keys, n}, found->keys + n);
  found->of.first_shard = static_cast<std::size_t>(found - kept_.get()) * (detail::row_shard::count / kept_places::count);
  found->step = steps();
  return found;
}

// Returns the places that a lookup of the same keys has kept, or null.
FLOWGRAPH_INLINE keyed_rows::kept_places* keyed_rows::places_of(std::span<const std::int64_t> keys) {
  const auto is_alike = [&](const kept_places& k) {
    return k.is_valid && !k.is_busy && k.of.keys.size() == keys.size() && k.keys[0] == keys.front() &&
           k.keys[keys.size() - 1] == keys.back();
  };
  if (keys.empty()) return nullptr;
  for (kept_places& k : std::span(kept_.get(), kept_places::count)) {
    {
      const threading::lock_guard lock(kept_mutex_);
      if (!is_alike(k)) continue;
      k.is_busy = true;
    }
    if (std::equal(keys.begin(), keys.end(), k.keys)) return &k;
    hand_back(&k, true);
  }
  return nullptr;
}

FLOWGRAPH_INLINE void keyed_rows::hand_back(kept_places* k, bool is_valid) {
  const threading::lock_guard lock(kept_mutex_);
  k->is_busy = false;
  k->is_valid = is_valid;
}

// Called after rows have moved or disappeared. Precondition: the caller has the exclusive lock of the layout, so no places are busy.
FLOWGRAPH_INLINE void keyed_rows::forget_places() {
  const threading::lock_guard lock(kept_mutex_);
  for (kept_places& k : std::span(kept_.get(), kept_places::count)) k.is_valid = false;
}

// ---- finding

FLOWGRAPH_INLINE void keyed_rows::fetch(const void* row, std::size_t first, std::size_t last) const {
  constexpr std::uintptr_t line = 64;
  const auto begin = reinterpret_cast<std::uintptr_t>(row);
  for (std::uintptr_t at = (begin + first) / line * line; at < begin + last; at += line)
    FLOWGRAPH_FETCH(reinterpret_cast<const void*>(at));
}
// Returns how much of a row a search fetches: all of a short row, so that later calls on the same processor need not fetch it.
FLOWGRAPH_INLINE std::size_t keyed_rows::bytes_to_find() const noexcept {
  constexpr std::size_t shortest = 128;
  return row_bytes_ <= shortest ? row_bytes_ : std::min(state_offset(), shortest);
}

// Precondition: the caller has the lock of the shard.
FLOWGRAPH_INLINE error keyed_rows::locate(places& p, std::size_t shard) {
  using detail::row_entry;
  detail::row_shard& s = shards_[shard];
  const std::size_t first = p.begin[shard], n = p.size_of_shard(shard), header_and_more = bytes_to_find();
  const std::uint32_t* const order = p.order + first;
  std::uint32_t *const number = p.number + first, *const ends = p.ends + first;
  std::byte** const rows = p.rows + first;
  const std::uint32_t now = steps();
  for (std::size_t j = 0; j < n; ++j) {
    if (j + places::entries_ahead < n) s.fetch(number[j + places::entries_ahead]);
    const std::uint32_t likely = s.likely_row(number[j]);
    rows[j] = likely != row_entry::none ? s.row(likely, row_bytes_) : nullptr;
  }
  std::uint32_t count = 0;
  for (std::size_t j = 0; j < n; ++j) {
    if (j + places::rows_ahead < n) fetch(rows[j + places::rows_ahead], 0, header_and_more);
    const std::int64_t key = p.keys[order[j]];
    std::byte* row = rows[j];  // from now on, a row with a smaller number may overwrite it
    if (!row || detail::header_of(row).key != key) {
      const std::uint32_t tag = detail::row_shard::tag_of_hash(detail::hash_of_key(key));
      if (error why = find_or_make(s, key, tag, row)) return why;
    }
    detail::row_header& h = detail::header_of(row);
    if (h.mark >= count || rows[h.mark] != row) {
      h.mark = count;
      detail::set_age(h, now);
      rows[count] = row;
      ends[count++] = 0;
    }
    ++ends[h.mark];
    number[j] = h.mark;
    p.row_of_key[order[j]] = row;
  }
  p.row_count[shard] = count;
  return {};
}

FLOWGRAPH_INLINE error keyed_rows::locate_all(places& p, row_blocks blocks) {
  std::array<error, detail::row_shard::count> whys;
  std::array<bool, detail::row_shard::count> is_located{};
  // First the shards that no other call uses, so that calls seldom wait for each other.
  for (const bool waits : {false, true})
    blocks(detail::row_shard::count, [&](std::int64_t i) {
      const std::size_t shard = p.shard_of_block(i);
      if (is_located[shard]) return;
      threading::unique_lock<threading::shared_mutex> lock(shards_[shard].mutex, threading::defer_lock);
      if (waits) lock.lock();
      else if (!lock.try_lock()) return;
      whys[shard] = locate(p, shard);
      is_located[shard] = true;
    });
  for (const error& why : whys)
    if (why) return why;
  return {};
}

FLOWGRAPH_INLINE void keyed_rows::copy_rows(const row_list& from, std::size_t n, float* to, row_blocks blocks) const {
  constexpr std::size_t part = 2048;
  const std::size_t columns = static_cast<std::size_t>(options_.columns), begin = static_cast<std::size_t>(from.offset);
  const std::size_t end = begin + columns * size_of(options_.storage);
  blocks(static_cast<std::int64_t>((n + part - 1) / part), [&](std::int64_t i) {
    const std::size_t first = static_cast<std::size_t>(i) * part, last = std::min(n, first + part);
    for (std::size_t k = first; k < last; ++k) {
      if (k + places::rows_ahead < last) fetch(from.rows[k + places::rows_ahead], begin, end);
      load(static_cast<const std::byte*>(from.rows[k]), to + k * columns);
    }
  });
}

// Sets the age of the rows again if there was an update after the call that set it.
FLOWGRAPH_INLINE void keyed_rows::name_again(kept_places& k) const {
  const std::uint32_t now = steps();
  if (std::exchange(k.step, now) == now) return;
  for (std::size_t shard = 0; shard < detail::row_shard::count; ++shard) {
    std::byte* const* const rows = k.of.rows + k.of.begin[shard];
    const std::size_t n = k.of.row_count[shard];
    for (std::size_t u = 0; u < n; ++u) {
      if (u + places::rows_ahead < n) FLOWGRAPH_FETCH(rows[u + places::rows_ahead]);
      detail::set_age(detail::header_of(rows[u]), now);
    }
  }
}

FLOWGRAPH_INLINE error keyed_rows::prepare(std::span<const std::int64_t> keys, void* scratch, row_blocks blocks) {
  if (error why = detail::check_row_keys(keys.size())) return why;
  const lock_shared layout(layout_);
  kept_places* const kept = room_for(keys);
  places own;
  if (!kept) own = places(keys, scratch);
  places& p = kept ? kept->of : own;
  error why = locate_all(p, blocks);
  if (!kept) return why;
  if (!why) blocks(detail::row_shard::count, [&](std::int64_t i) { p.group(static_cast<std::size_t>(i)); });
  kept->is_grouped = kept->is_prepared = !why;
  hand_back(kept, !why);
  return why;
}

FLOWGRAPH_INLINE error keyed_rows::visit(std::span<const std::int64_t> keys, void* scratch, row_blocks blocks,
                                         function_ref<void(const row_list&)> use) {
  if (error why = detail::check_row_keys(keys.size())) return why;
  const lock_shared layout(layout_);
  kept_places* const found = places_of(keys);
  kept_places* const kept = found ? found : room_for(keys);
  places own;
  if (!kept) own = places(keys, scratch);
  places& p = kept ? kept->of : own;
  error why = found ? error() : locate_all(p, blocks);
  if (found) name_again(*found);
  const row_list rows{const_cast<const void* const*>(reinterpret_cast<void**>(p.row_of_key)),
                      static_cast<std::int64_t>(detail::offset_of_weights), has_floats_in_place(),
                      row_bytes_ > bytes_to_find() || (found && std::exchange(found->is_prepared, false))};
  if (!why && options_.without_locks) {
    use(rows);
  } else if (!why) {
    const shared_rows reading(*this);
    use(rows);
  }
  if (kept) hand_back(kept, !why);
  return why;
}

FLOWGRAPH_INLINE void keyed_rows::load(const row_list& from, std::int64_t i, float* to) const {
  load(static_cast<const std::byte*>(from.rows[i]), to);
}

FLOWGRAPH_INLINE void keyed_rows::fetch(const row_list& from, std::int64_t first, std::int64_t last) const {
  if (!from.are_fetched) return;
  const auto begin = static_cast<std::size_t>(from.offset);
  const std::size_t end = begin + static_cast<std::size_t>(options_.columns) * size_of(options_.storage);
  for (std::int64_t i = first; i < last; ++i) fetch(from.rows[i], begin, end);
}

FLOWGRAPH_INLINE error keyed_rows::find(std::span<const std::int64_t> keys, float* rows, void* scratch, row_blocks blocks) {
  return visit(keys, scratch, blocks, [&](const row_list& found) { copy_rows(found, keys.size(), rows, blocks); });
}

FLOWGRAPH_INLINE void keyed_rows::peek_some(std::span<const std::int64_t> keys, float* rows) const {
  using detail::row_entry, detail::row_shard;
  constexpr std::size_t part = 32;
  const auto columns = static_cast<std::size_t>(options_.columns);
  for (std::size_t first = 0; first < keys.size(); first += part) {
    const std::size_t n = std::min(part, keys.size() - first);
    const row_shard* shards[part];
    std::uint32_t tags[part], likely[part];
    for (std::size_t j = 0; j < n; ++j) {
      const std::uint64_t hash = detail::hash_of_key(keys[first + j]);
      shards[j] = &shards_[row_shard::of_hash(hash)];
      tags[j] = row_shard::tag_of_hash(hash);
      shards[j]->fetch(tags[j]);
    }
    for (std::size_t j = 0; j < n; ++j) {
      likely[j] = shards[j]->likely_row(tags[j]);
      if (likely[j] != row_entry::none) fetch(shards[j]->row(likely[j], row_bytes_), 0, row_bytes_);
    }
    for (std::size_t j = 0; j < n; ++j) {
      const std::int64_t key = keys[first + j];
      const std::byte* const row = shards[j]->find(key, tags[j], row_bytes_, likely[j]);
      float* const to = rows + (first + j) * columns;
      if (row) load(row, to);
      else load_initial(key, to);
    }
  }
}

FLOWGRAPH_INLINE error keyed_rows::peek(std::span<const std::int64_t> keys, float* rows, void*, row_blocks blocks) {
  constexpr std::size_t part = 2048;
  if (error why = detail::check_row_keys(keys.size())) return why;
  const lock_shared layout(layout_);
  const shared_keys finding(*this);
  const shared_rows reading(*this);
  blocks(static_cast<std::int64_t>((keys.size() + part - 1) / part), [&](std::int64_t i) {
    const std::size_t first = static_cast<std::size_t>(i) * part;
    peek_some(keys.subspan(first, std::min(part, keys.size() - first)),
              rows + first * static_cast<std::size_t>(options_.columns));
  });
  return {};
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
