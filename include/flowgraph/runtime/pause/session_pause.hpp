#pragma once
// A paused session: no run begins or continues, so that its state can be saved as it is between steps.
//
//     {
//       auto rest = s.pause();          // waits until each run has ended, or waits for another run, for example at a queue
//       auto held = s.save_state();
//     }                                 // the runs continue

#include <flowgraph/config.hpp>

#include <memory>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {
struct session_state;
}

// A session is paused while this object exists. Runs of the thread that created it are still executed.
class session_pause {
public:
  session_pause(session_pause&&) noexcept = default;
  session_pause& operator=(session_pause&&) = delete;
  ~session_pause();

private:
  friend class session;
  explicit session_pause(std::shared_ptr<detail::session_state> s) noexcept : session_(std::move(s)) {}
  std::shared_ptr<detail::session_state> session_;
};

}  // namespace flowgraph
