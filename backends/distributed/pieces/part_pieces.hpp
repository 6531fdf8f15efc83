#pragma once
// The feeds that a part's run in pieces has received, and the fetches that were requested.

#include "../messages.hpp"

#include <flowgraph/core/function.hpp>

#include <utility>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

// Marks the numbers. Returns false if a number is out of range or already marked.
inline bool mark(std::vector<char>& marks, const std::vector<std::uint32_t>& numbers) {
  for (const std::uint32_t n : numbers)
    if (n >= marks.size() || std::exchange(marks[n], 1) != 0) return false;
  return true;
}

// Used only by the thread that drives the run, except for `came`.
struct part_pieces {
  std::vector<frame> came;  // message_kind::piece_of_part; guarded by the run
  unique_function<void(frame)> heard;
  std::vector<char> is_fed;
  std::vector<char> fetches;  // 0: not requested; 1: requested; 2: returned
  std::size_t unfed = 0, left = 0;
  std::uint64_t taken = 0;  // number of pieces
  // The numbers of the last report that the run rests.
  std::uint64_t told_taken = ~std::uint64_t{0}, told_balance = 0;

  // Returns whether feeds or fetches are still missing.
  bool is_open() const noexcept { return unfed + left > 0; }
};

}  // namespace flowgraph::distributed
