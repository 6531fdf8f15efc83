#pragma once
// The feeds that a run of a part in pieces has got, and the fetches that it was asked for.

#include "../messages.hpp"

#include <flowgraph/core/function.hpp>

#include <utility>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

// False: one is not among them, or marked already.
inline bool mark(std::vector<char>& marks, const std::vector<std::uint32_t>& numbers) {
  for (const std::uint32_t n : numbers)
    if (n >= marks.size() || std::exchange(marks[n], 1) != 0) return false;
  return true;
}

// Of whoever drives the run, but for the frames that have come.
struct part_pieces {
  std::vector<frame> came;  // message_kind::piece_of_part; guarded by the run
  unique_function<void(frame)> heard;
  std::vector<char> is_fed;
  std::vector<char> fetches;  // 0; 1: asked for; 2: given
  std::size_t unfed = 0, left = 0;
  std::uint64_t taken = 0;  // pieces
  // The numbers that the master was told when the run last rested.
  std::uint64_t told_taken = ~std::uint64_t{0}, told_balance = 0;

  // Feeds or fetches are to come yet.
  bool is_open() const noexcept { return unfed + left > 0; }
};

}
}
}  // namespace flowgraph::distributed
