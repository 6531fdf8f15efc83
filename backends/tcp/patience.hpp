#pragma once
// Determines how long a thread polls for work before it sleeps. Waking a thread whose processor has halted takes 30 to 50 us,
// longer than a peer on the same network needs for an answer. So while single answers arrive quickly, a waiting thread first polls
// for a moment. If they do not, it sleeps at once, so that an idle process uses no processor time. It also sleeps at once if many
// frames arrive at a time: the frames that gather meanwhile are read and answered with one system call.

#include <flowgraph/config.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace flowgraph::inline FLOWGRAPH_ABI::tcp {

class patience {
public:
  using clock = std::chrono::steady_clock;

  // Returns how long to poll now.
  clock::duration length() const noexcept { return usual_wait_ < most && usual_frames_ < 4 ? most : clock::duration::zero(); }
  // Records how long it took until there was work, and how many frames came with it.
  void waited(clock::duration time, std::uint64_t frames) noexcept {
    usual_wait_ += (std::min<clock::duration>(time, 10 * most) - usual_wait_) / 8;
    usual_frames_ += (static_cast<double>(frames) - usual_frames_) / 8;
  }

private:
  static constexpr clock::duration most = std::chrono::microseconds(100);
  clock::duration usual_wait_ = 10 * most;
  double usual_frames_ = 0;
};

}  // namespace flowgraph::tcp
