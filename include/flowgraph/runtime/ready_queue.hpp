#pragma once
// Records of a run that wait for nothing more, each with the iteration it runs in.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/frame.hpp>

#include <algorithm>
#include <bit>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Those of loops come first and the latest of them first, so that iterations end soon. Those outside come in the order of the
// plan, in which records, edges and slots lie side by side: a large graph is then read from memory in one sweep.
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
  // Precondition: not empty. `root` is where the records outside loops run.
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
  // For who watches: how many records wait in loops, and how many outside; those outside as bits.
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

  sequence<item> inner_;  // those below top_ wait: g++ does not make a sequence's push_back where it is called
  item* top_;
  item* full_;
  sequence<std::uint64_t> waiting_;  // a bit for each record outside loops
  std::size_t first_ = 0;            // no bit is set in the words before
  std::size_t outer_ = 0;            // bits set
};

}  // namespace detail

}
}  // namespace flowgraph
