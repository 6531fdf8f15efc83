#pragma once
// The position of each tensor of a schedule in its arena: tensors whose lives do not overlap may share bytes.

#include <flowgraph/core/buffer.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/stable_sort.hpp>
#include <flowgraph/runtime/planning/body_plan.hpp>

#include <algorithm>
#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

struct storage {
  std::size_t bytes;
  std::uint32_t first, last;      // records: from the one that writes the tensor to the last one that reads it
  sequence<std::uint32_t> slots;  // slots that show it
  std::pmr::memory_resource* memory;
  std::size_t offset = 0;  // in the arena of that memory
  std::byte* at = nullptr;
  bool is_returned = false;  // to the caller: not in the arena
  std::uint32_t returned_index = 0;
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

// The storages of one arena, which are to be placed. Offsets are multiples of `grain`, a power of two.
class arena_plan {
public:
  arena_plan(sequence<storage>& all, const std::pmr::memory_resource* memory, std::size_t grain) : grain_(grain) {
    for (storage& s : all)
      if (!s.is_returned && s.memory == memory) here_.push_back(&s);
  }

  // Sets the offsets, and returns the size of the arena. If the layout in order of time has gaps, tries two layouts that place the
  // storages in other orders, and keeps the smallest layout. Their time grows with the square of the number of storages, so larger
  // plans are laid out in order of time only.
  std::size_t place() {
    std::size_t top = place_by_time();
    const auto by_bytes = [](const storage* a, const storage* b) { return a->bytes > b->bytes; };
    const auto by_life = [](const storage* a, const storage* b) { return a->last - a->first > b->last - b->first; };
    if (here_.size() > most_reordered || top > std::numeric_limits<std::size_t>::max() / 2) return top;
    if (top > most_alive_) top = place_below(top, by_bytes);
    if (top > most_alive_) top = place_below(top, by_life);
    return top;
  }
  // Returns the bytes of the storages that are alive at the same time, at most: no arena is smaller. Valid after place().
  std::size_t most_alive() const { return most_alive_; }

private:
  static constexpr std::size_t most_reordered = 2048;
  struct gap {
    std::size_t offset, bytes;
  };
  struct place_in_time {
    std::size_t offset, end;
    std::uint32_t first, last;
  };

  // Returns a multiple of the grain. A size that no memory has stays such a size.
  std::size_t room_of(const storage& s) const {
    const std::size_t most = std::numeric_limits<std::size_t>::max() / grain_ * grain_;
    return s.bytes > most ? most : std::max(grain_, (s.bytes + grain_ - 1) / grain_ * grain_);
  }

  // Places storages in order of time, each in the smallest gap that fits, and joins free neighbours.
  std::size_t place_by_time() {
    // The storages placed so far, as a heap: the storage whose last reader comes first is in front.
    sequence<const storage*> placed;
    const auto ends_later = [](const storage* a, const storage* b) { return a->last > b->last; };
    std::size_t top = 0, alive = 0;
    for (storage* const s : here_) {
      while (!placed.empty() && placed.front()->last < s->first) {
        give_back(placed.front()->offset, room_of(*placed.front()));
        alive -= room_of(*placed.front());
        std::pop_heap(placed.begin(), placed.end(), ends_later);
        placed.pop_back();
      }
      const std::size_t bytes = room_of(*s), rest = std::numeric_limits<std::size_t>::max() - top;
      if (gap* const found = smallest_gap(bytes)) {
        s->offset = found->offset;
        *found = {found->offset + bytes, found->bytes - bytes};
        if (found->bytes == 0) free_.erase(found);
      } else {
        s->offset = top;
        top += std::min(bytes, rest);  // no memory is so large: the allocation fails
      }
      alive += std::min(bytes, std::numeric_limits<std::size_t>::max() - alive);
      most_alive_ = std::max(most_alive_, alive);
      placed.push_back(s);
      std::push_heap(placed.begin(), placed.end(), ends_later);
    }
    return top;
  }
  gap* smallest_gap(std::size_t bytes) {
    gap* best = nullptr;
    for (gap& g : free_)
      if (g.bytes >= bytes && (!best || g.bytes < best->bytes)) {
        best = &g;
        if (g.bytes == bytes) break;
      }
    return best;
  }
  void give_back(std::size_t offset, std::size_t bytes) {
    gap* const after = std::find_if(free_.begin(), free_.end(), [&](const gap& g) { return g.offset > offset; });
    const bool joins_after = after != free_.end() && offset + bytes == after->offset;
    const bool joins_before = after != free_.begin() && after[-1].offset + after[-1].bytes == offset;
    if (joins_before) {
      after[-1].bytes += bytes + (joins_after ? after->bytes : 0);
      if (joins_after) free_.erase(after);
    } else if (joins_after) {
      *after = {offset, bytes + after->bytes};
    } else {
      free_.insert(after, {offset, bytes});
    }
  }

  // Places storages in this order, each at the lowest offset where no storage is that is alive at the same time. If the arena would
  // not be smaller than `top`, sets no offsets. Returns the size of the smaller arena.
  template <class Before> std::size_t place_below(std::size_t top, const Before& is_before) {
    sequence<storage*> order(here_);
    sort_stably(order, is_before);
    sequence<std::size_t> offsets;   // like `order`
    sequence<place_in_time> placed;  // in the order of their offsets
    placed.reserve(order.size());
    std::size_t result = 0;
    for (const storage* const s : order) {
      const std::size_t bytes = room_of(*s), at = lowest_offset(placed, *s, bytes);
      result = std::max(result, at + bytes);
      if (result >= top) return top;
      offsets.push_back(at);
      const auto is_above = [at](const place_in_time& p) { return p.offset > at; };
      placed.insert(std::find_if(placed.begin(), placed.end(), is_above), {at, at + bytes, s->first, s->last});
    }
    for (std::size_t i = 0; i < order.size(); ++i) order[i]->offset = offsets[i];
    return result;
  }
  static std::size_t lowest_offset(const sequence<place_in_time>& placed, const storage& s, std::size_t bytes) {
    std::size_t at = 0;
    for (const place_in_time& p : placed) {
      if (p.last < s.first || s.last < p.first) continue;
      if (p.offset >= at + bytes) break;
      at = std::max(at, p.end);
    }
    return at;
  }

  sequence<storage*> here_;
  std::size_t grain_;
  std::size_t most_alive_ = 0;
  sequence<gap> free_;  // in the order of their offsets; adjacent gaps are joined
};

// Sets the offset of each storage in this memory, and returns the size of the arena.
inline std::size_t place_storages(sequence<storage>& all, const std::pmr::memory_resource* memory,
                                  std::size_t grain = buffer::alignment) {
  return arena_plan(all, memory, grain).place();
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
