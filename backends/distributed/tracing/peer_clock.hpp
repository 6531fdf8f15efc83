#pragma once
// Estimates how far the clock of a peer is ahead of this process' clock, from the times of requests and answers.

#include <flowgraph/config.hpp>

#include <cstdint>
#include <mutex>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

// All times are in nanoseconds.
struct clock_reading {
  std::int64_t offset = 0;  // to subtract from a time of the peer
  std::int64_t error = 0;   // the maximum error of the offset
};

// Thread-safe.
class peer_clock {
public:
  // Adds a measurement. The peer has read its clock at an unknown time between the request and the answer. The best of several
  // measurements is kept until it is so old that the clocks may have drifted apart by more.
  void add(std::int64_t asked, std::int64_t remote, std::int64_t answered) {
    const clock_reading result{remote - (asked + (answered - asked) / 2), (answered - asked + 1) / 2};
    const std::lock_guard lock(mutex_);
    if (is_known_ && result.error > aged(answered).error) return;
    is_known_ = true;
    best_ = result;
    since_ = answered;
  }
  // Returns the best estimate. A negative error means that there was no measurement.
  clock_reading best(std::int64_t now) const {
    const std::lock_guard lock(mutex_);
    return is_known_ ? aged(now) : clock_reading{0, -1};
  }

private:
  static constexpr std::int64_t drift = 10'000;  // two clocks drift apart by less than 1/drift of the time

  clock_reading aged(std::int64_t now) const { return {best_.offset, best_.error + (now - since_) / drift}; }

  mutable std::mutex mutex_;  // guards the following members
  bool is_known_ = false;
  clock_reading best_;
  std::int64_t since_ = 0;
};

}  // namespace flowgraph::distributed
