#pragma once
// Where each tensor of a schedule lies in its arena: two may share bytes when their lives do not overlap.

#include <flowgraph/core/buffer.hpp>
#include <flowgraph/core/sequence.hpp>

#include <algorithm>
#include <map>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

struct storage {
  std::size_t bytes;
  std::uint32_t first, last;      // records: from the one that writes it to the last that reads it
  sequence<std::uint32_t> slots;  // that show it
  std::pmr::memory_resource* memory;
  std::size_t offset = 0;  // in the arena of that memory
  std::byte* at = nullptr;
  bool handed = false;  // given to the caller: not in the arena
  std::uint32_t handed_index = 0;
};

// Sets the offsets of those in this memory and returns the arena's size. Best fit in order of time, neighbours joined when they are free.
inline std::size_t place_storages(sequence<storage>& all, const std::pmr::memory_resource* memory) {
  constexpr std::size_t grain = buffer::alignment;
  std::map<std::size_t, std::size_t> free;         // offset -> bytes
  std::multimap<std::uint32_t, std::size_t> ends;  // last use -> storage
  std::size_t top = 0;
  auto give_back = [&](std::size_t offset, std::size_t bytes) {
    auto at = free.emplace(offset, bytes).first;
    if (auto next = std::next(at); next != free.end() && at->first + at->second == next->first) {
      at->second += next->second;
      free.erase(next);
    }
    if (at != free.begin())
      if (auto before = std::prev(at); before->first + before->second == at->first) {
        before->second += at->second;
        free.erase(at);
      }
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    storage& s = all[i];
    if (s.handed || s.memory != memory) continue;
    while (!ends.empty() && ends.begin()->first < s.first) {
      const storage& gone = all[ends.begin()->second];
      give_back(gone.offset, std::max(grain, (gone.bytes + grain - 1) / grain * grain));
      ends.erase(ends.begin());
    }
    const std::size_t bytes = std::max(grain, (s.bytes + grain - 1) / grain * grain);
    auto best = free.end();
    for (auto at = free.begin(); at != free.end(); ++at)
      if (at->second >= bytes && (best == free.end() || at->second < best->second)) {
        best = at;
        if (at->second == bytes) break;
      }
    if (best == free.end()) {
      s.offset = top;
      top += bytes;
    } else {
      s.offset = best->first;
      const std::size_t rest = best->second - bytes;
      free.erase(best);
      if (rest > 0) free.emplace(s.offset + bytes, rest);
    }
    ends.emplace(s.last, i);
  }
  return top;
}

}  // namespace detail

}
}  // namespace flowgraph
