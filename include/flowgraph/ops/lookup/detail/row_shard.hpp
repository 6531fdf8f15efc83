#pragma once
// One of the parts of a table of rows by key: an index by open addressing, and slabs of rows.

#include <flowgraph/core/threads.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// A bijection of 64 bits, in which each bit of x changes half of the bits.
constexpr std::uint64_t mixed_bits(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
constexpr std::uint64_t hash_of_key(std::int64_t key) noexcept {
  return mixed_bits(static_cast<std::uint64_t>(key) + 0x9e3779b97f4a7c15u);
}

// The part of a row before its elements, which are followed by its state.
struct row_header {
  std::int64_t key;
  std::uint32_t age;   // the step at which the row was last named
  std::uint32_t mark;  // the number of the row among the rows of the last call; other numbers have no meaning
};
static_assert(sizeof(row_header) == 16);

inline row_header& header_of(std::byte* row) noexcept { return *reinterpret_cast<row_header*>(row); }
inline const row_header& header_of(const std::byte* row) noexcept { return *reinterpret_cast<const row_header*>(row); }

// The index of a row, and bits of the hash of its key.
struct row_entry {
  static constexpr std::uint32_t none = 0xffffffffu;
  std::uint32_t tag = 0;
  std::uint32_t row = none;  // none: the entry is free
};
static_assert(sizeof(row_entry) == 8);

// The keys whose hash begins with the same bits.
struct row_shard {
  static constexpr std::size_t bits = 4, count = std::size_t{1} << bits;
  static constexpr std::uint32_t slab_rows = 256;

  static constexpr std::size_t of_hash(std::uint64_t hash) noexcept { return static_cast<std::size_t>(hash >> (64 - bits)); }
  static constexpr std::uint32_t tag_of_hash(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash); }

  std::size_t first_entry(std::uint32_t tag) const noexcept { return tag & (capacity - 1); }
  std::byte* row(std::uint32_t i, std::size_t row_bytes) const noexcept {
    return slabs[i / slab_rows] + std::size_t{i % slab_rows} * row_bytes;
  }
  // Returns the row of the first entry with a tag, or none. It is nearly always the row of the key.
  std::uint32_t likely_row(std::uint32_t tag) const noexcept {
    if (capacity == 0) return row_entry::none;
    std::size_t i = first_entry(tag);
    while (entries[i].row != row_entry::none && entries[i].tag != tag) i = (i + 1) & (capacity - 1);
    return entries[i].row;
  }
  // Returns the entry of a key, or the free entry for it. Precondition: there is a free entry.
  row_entry& place(std::int64_t key, std::uint32_t tag, std::size_t row_bytes) const noexcept {
    std::size_t i = first_entry(tag);
    while (entries[i].row != row_entry::none && (entries[i].tag != tag || header_of(row(entries[i].row, row_bytes)).key != key))
      i = (i + 1) & (capacity - 1);
    return entries[i];
  }
  // Returns the free entry for the row of a new key. Precondition: there is a free entry.
  row_entry& free_place(std::uint32_t tag) const noexcept {
    std::size_t i = first_entry(tag);
    while (entries[i].row != row_entry::none) i = (i + 1) & (capacity - 1);
    return entries[i];
  }
  // Returns the row of a key, or null. `likely`: the result of likely_row for its tag.
  std::byte* find(std::int64_t key, std::uint32_t tag, std::size_t row_bytes, std::uint32_t likely) const noexcept {
    if (likely == row_entry::none) return nullptr;
    std::byte* const r = row(likely, row_bytes);
    if (header_of(r).key == key) return r;
    const row_entry& e = place(key, tag, row_bytes);
    return e.row == row_entry::none ? nullptr : row(e.row, row_bytes);
  }
  // Prefetches the entry of a key that will be searched soon.
  void fetch(std::uint32_t tag) const noexcept {
    if (capacity > 0) FLOWGRAPH_FETCH(entries + first_entry(tag));
  }
  // Frees an entry, and moves later entries to places where a search finds them.
  void erase(std::size_t i) noexcept {
    for (std::size_t next = (i + 1) & (capacity - 1); entries[next].row != row_entry::none; next = (next + 1) & (capacity - 1)) {
      const std::size_t wished = first_entry(entries[next].tag);
      if (((next - wished) & (capacity - 1)) < ((next - i) & (capacity - 1))) continue;
      entries[i] = entries[next];
      i = next;
    }
    entries[i] = {};
    --size;
  }

  mutable threading::shared_mutex mutex;   // guards all members, and the keys and marks of rows
  mutable threading::shared_mutex values;  // guards the elements and states of rows that exist; locked after `mutex`
  row_entry* entries = nullptr;
  std::size_t capacity = 0, size = 0;          // capacity: zero or a power of two
  std::uint32_t row_count = 0;                 // rows that were made, free ones included
  std::uint32_t first_free = row_entry::none;  // each free row begins with the number of the next one
  std::vector<std::byte*> slabs;
};

}  // namespace flowgraph::detail
