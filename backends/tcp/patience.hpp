#pragma once
// How long a thread looks for work before it sleeps. Waking a thread whose processor has halted takes 30 to 50 us, more than a peer on the
// same network takes to answer. So while single answers come soon, a thread that waits for them looks for a moment first; where they do not,
// it sleeps at once, and an idle process costs nothing. Where many frames come at a time it sleeps too: those that gather meanwhile are read,
// and answered, by one call of the system.

#include <flowgraph/config.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace tcp {

class patience {
public:
  using clock = std::chrono::steady_clock;

  // For how long to look now.
  clock::duration length() const noexcept { return usual_wait_ < most && usual_frames_ < 4 ? most : clock::duration::zero(); }
  // So long it took until there was work, and so many frames came with it.
  void waited(clock::duration time, std::uint64_t frames) noexcept {
    usual_wait_ += (std::min<clock::duration>(time, 10 * most) - usual_wait_) / 8;
    usual_frames_ += (static_cast<double>(frames) - usual_frames_) / 8;
  }

private:
  static constexpr clock::duration most = std::chrono::microseconds(100);
  clock::duration usual_wait_ = 10 * most;
  double usual_frames_ = 0;
};

}
}
}  // namespace flowgraph::tcp
