#pragma once
// How far the clock of a peer is ahead of this process' clock, from when it was asked and when it answered.

#include <flowgraph/config.hpp>

#include <cstdint>
#include <mutex>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

// Nanoseconds.
struct clock_reading {
  std::int64_t offset = 0;  // to take from a time of the peer, for one of this process
  std::int64_t error = 0;   // by how much that may be wrong
};

// Any thread may use it.
class peer_clock {
public:
  // The peer told the time after it was asked and before it answered: that is in between, at an unknown place. The best of several is kept,
  // until it is so old that the clocks may have drifted apart by more.
  void add(std::int64_t asked, std::int64_t told, std::int64_t answered) {
    const clock_reading made{told - (asked + (answered - asked) / 2), (answered - asked + 1) / 2};
    const std::lock_guard lock(mutex_);
    if (is_known_ && made.error > aged(answered).error) return;
    is_known_ = true;
    best_ = made;
    since_ = answered;
  }
  // An error below zero: nothing is known.
  clock_reading best(std::int64_t now) const {
    const std::lock_guard lock(mutex_);
    return is_known_ ? aged(now) : clock_reading{0, -1};
  }

private:
  static constexpr std::int64_t drift = 10'000;  // two clocks drift apart by less than one part of that

  clock_reading aged(std::int64_t now) const { return {best_.offset, best_.error + (now - since_) / drift}; }

  mutable std::mutex mutex_;  // guards what follows
  bool is_known_ = false;
  clock_reading best_;
  std::int64_t since_ = 0;
};

}
}
}  // namespace flowgraph::distributed
