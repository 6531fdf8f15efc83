#pragma once
// One of the parts of a table of rows by key: an index by open addressing, and slabs of rows.

#include <flowgraph/core/threads.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// A bijection of 64 bits, in which each bit of x changes half of the bits.
constexpr std::uint64_t mixed_bits(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
constexpr std::uint64_t hash_of_key(std::int64_t key) noexcept {
  return mixed_bits(static_cast<std::uint64_t>(key) + 0x9e3779b97f4a7c15u);
}

// A key and the place of its row.
struct row_entry {
  static constexpr std::uint32_t none = 0xffffffffu;
  std::int64_t key = 0;
  std::uint32_t row = none;  // none: the entry is free
  std::uint32_t age = 0;     // the step at which the row was last named
};
static_assert(sizeof(row_entry) == 16);

// The keys whose hash begins with the same bits.
struct row_shard {
  static constexpr std::size_t bits = 4, count = std::size_t{1} << bits;
  static constexpr std::uint32_t slab_rows = 256;

  static constexpr std::size_t of_hash(std::uint64_t hash) noexcept { return static_cast<std::size_t>(hash >> (64 - bits)); }

  std::size_t home(std::uint64_t hash) const noexcept { return static_cast<std::size_t>(hash) & (capacity - 1); }
  std::byte* row(std::uint32_t i, std::size_t row_bytes) const noexcept {
    return slabs[i / slab_rows] + std::size_t{i % slab_rows} * row_bytes;
  }
  // The entry of a key, or the free entry where it belongs. Precondition: there is a free entry.
  row_entry& place(std::int64_t key, std::uint64_t hash) const noexcept {
    std::size_t i = home(hash);
    while (entries[i].row != row_entry::none && entries[i].key != key) i = (i + 1) & (capacity - 1);
    return entries[i];
  }
  const row_entry* find(std::int64_t key, std::uint64_t hash) const noexcept {
    if (capacity == 0) return nullptr;
    const row_entry& e = place(key, hash);
    return e.row == row_entry::none ? nullptr : &e;
  }
  // Has the processor fetch the entry of a key that is searched soon.
  void fetch(std::uint64_t hash) const noexcept {
    if (capacity > 0) FLOWGRAPH_FETCH(entries + home(hash));
  }
  // Frees an entry, and moves later entries to where a search finds them.
  void erase(std::size_t i) noexcept {
    for (std::size_t next = (i + 1) & (capacity - 1); entries[next].row != row_entry::none; next = (next + 1) & (capacity - 1)) {
      const std::size_t wished = home(hash_of_key(entries[next].key));
      if (((next - wished) & (capacity - 1)) < ((next - i) & (capacity - 1))) continue;
      entries[i] = entries[next];
      i = next;
    }
    entries[i] = {};
    --size;
  }

  mutable threading::mutex mutex;  // of all members, while other threads may make rows
  row_entry* entries = nullptr;
  std::size_t capacity = 0, size = 0;          // capacity: zero or a power of two
  std::uint32_t made = 0;                      // rows that were made, free ones included
  std::uint32_t first_free = row_entry::none;  // each free row begins with the number of the next one
  std::vector<std::byte*> slabs;
};

}  // namespace detail

}
}  // namespace flowgraph
