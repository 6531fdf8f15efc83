#pragma once
// The position of each tensor of a schedule in its arena: tensors whose lives do not overlap may share bytes.

#include <flowgraph/core/buffer.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/planning/body_plan.hpp>

#include <algorithm>
#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

struct storage {
  std::size_t bytes;
  std::uint32_t first, last;      // records: from the one that writes the tensor to the last one that reads it
  sequence<std::uint32_t> slots;  // slots that show it
  std::pmr::memory_resource* memory;
  std::size_t offset = 0;  // in the arena of that memory
  std::byte* at = nullptr;
  bool handed = false;  // returned to the caller: not in the arena
  std::uint32_t handed_index = 0;
};

// Adds a storage for a tensor that only record `at` uses yet. Returns its index.
inline std::uint32_t add_storage(sequence<storage>& all, std::size_t bytes, std::uint32_t at,
                                 std::pmr::memory_resource* memory = nullptr) {
  all.push_back({bytes, at, at, {}, memory});
  return static_cast<std::uint32_t>(all.size() - 1);
}

// Returns the storage of an input that record `at` may overwrite by an output of this size: it is in the same memory, and no
// later record reads it. `storage_of(k)` returns the storage of input k; no_index if there is no storage, or if the types differ.
// If there is no such input, returns no_index.
template <class StorageOf>
std::uint32_t reused_storage(const sequence<storage>& all, std::size_t bytes, std::uint32_t at,
                             const std::pmr::memory_resource* memory, std::size_t inputs, const StorageOf& storage_of) {
  for (std::size_t k = 0; k < inputs; ++k)
    if (const std::uint32_t s = storage_of(k); s != no_index) {
      const storage& from = all[s];
      if (from.last == at && from.bytes == bytes && from.memory == memory) return s;
    }
  return no_index;
}

// Sets the offset of each storage in this memory, and returns the size of the arena. It places storages in order of time, each in the
// smallest gap that fits, and joins free neighbours. Offsets are multiples of `grain`, a power of two.
inline std::size_t place_storages(sequence<storage>& all, const std::pmr::memory_resource* memory,
                                  std::size_t grain = buffer::alignment) {
  const auto room_of = [grain](const storage& s) { return std::max(grain, (s.bytes + grain - 1) / grain * grain); };
  struct gap {
    std::size_t offset, bytes;
  };
  sequence<gap> free;  // in the order of their offsets; adjacent gaps are joined
  const auto give_back = [&](std::size_t offset, std::size_t bytes) {
    gap* const after = std::find_if(free.begin(), free.end(), [&](const gap& g) { return g.offset > offset; });
    const bool joins_after = after != free.end() && offset + bytes == after->offset;
    const bool joins_before = after != free.begin() && after[-1].offset + after[-1].bytes == offset;
    if (joins_before) {
      after[-1].bytes += bytes + (joins_after ? after->bytes : 0);
      if (joins_after) free.erase(after);
    } else if (joins_after) {
      *after = {offset, bytes + after->bytes};
    } else {
      free.insert(after, {offset, bytes});
    }
  };
  // The storages placed so far, as a heap: the storage whose last reader comes first is in front.
  sequence<const storage*> placed;
  const auto ends_later = [](const storage* a, const storage* b) { return a->last > b->last; };
  std::size_t top = 0;
  for (storage& s : all) {
    if (s.handed || s.memory != memory) continue;
    while (!placed.empty() && placed.front()->last < s.first) {
      give_back(placed.front()->offset, room_of(*placed.front()));
      std::pop_heap(placed.begin(), placed.end(), ends_later);
      placed.pop_back();
    }
    const std::size_t bytes = room_of(s);
    gap* best = nullptr;
    for (gap& g : free)
      if (g.bytes >= bytes && (!best || g.bytes < best->bytes)) {
        best = &g;
        if (g.bytes == bytes) break;
      }
    if (!best) {
      s.offset = top;
      top += std::min(bytes, std::numeric_limits<std::size_t>::max() - top);  // no memory is so large: the allocation fails
    } else {
      s.offset = best->offset;
      *best = {best->offset + bytes, best->bytes - bytes};
      if (best->bytes == 0) free.erase(best);
    }
    placed.push_back(&s);
    std::push_heap(placed.begin(), placed.end(), ends_later);
  }
  return top;
}

}  // namespace detail

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
