#pragma once
// The records of a run that are ready to run, each with its iteration.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/queue/frame.hpp>

#include <algorithm>
#include <bit>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Records in loops come first, the latest of them first, so that iterations end soon. The others come in the order of the plan,
// in which records, edges and slots are stored: a large graph is then read from memory sequentially.
class ready_queue {
public:
  struct item {
    std::uint32_t record;
    iteration* at;
  };

  explicit ready_queue(std::size_t records)
      : inner_(64), top_(inner_.data()), full_(inner_.end()), waiting_((records + 63) / 64) {}

  bool empty() const noexcept { return outer_ == 0 && top_ == inner_.data(); }

  FLOWGRAPH_ALWAYS_INLINE void push(std::uint32_t record, iteration& at) {
    if (at.frame) [[unlikely]] {
      if (top_ == full_) [[unlikely]]
        grow();
      *top_++ = {record, &at};
      return;
    }
    const std::size_t word = record / 64;
    waiting_[word] |= std::uint64_t{1} << record % 64;
    if (word < first_) first_ = word;
    ++outer_;
  }
  // Precondition: not empty. `root` is the iteration of the records outside of loops.
  item pop(iteration* root) {
    if (top_ != inner_.data()) [[unlikely]]
      return *--top_;
    while (waiting_[first_] == 0) ++first_;
    std::uint64_t& word = waiting_[first_];
    const auto record = static_cast<std::uint32_t>(first_ * 64 + static_cast<std::size_t>(std::countr_zero(word)));
    word &= word - 1;
    --outer_;
    return {record, root};
  }
  // Used by observers: return the number of waiting records in loops and outside of loops, and the latter records as bits.
  std::size_t inner_count() const noexcept { return static_cast<std::size_t>(top_ - inner_.data()); }
  std::size_t outer_count() const noexcept { return outer_; }
  std::span<const std::uint64_t> outer() const noexcept { return waiting_; }
  void clear() {
    top_ = inner_.data();
    if (outer_ > 0) std::fill(waiting_.begin(), waiting_.end(), 0);
    outer_ = 0;
    first_ = 0;
  }

private:
  FLOWGRAPH_COLD void grow() {
    const std::size_t count = inner_.size();
    inner_.resize(2 * count);
    top_ = inner_.data() + count;
    full_ = inner_.end();
  }

  sequence<item> inner_;  // entries below top_ wait; used instead of push_back, which g++ does not inline
  item* top_;
  item* full_;
  sequence<std::uint64_t> waiting_;  // a bit for each record outside of loops
  std::size_t first_ = 0;            // the words before it have no bit set
  std::size_t outer_ = 0;            // number of bits set
};

}  // namespace flowgraph::detail
