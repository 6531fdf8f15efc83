#pragma once
// A session at rest: no run begins or goes on, so that what it holds can be saved as it is between steps.
//
//     {
//       auto rest = s.pause();          // waits until each run has ended, or waits itself: at a queue, for another run
//       auto held = s.save_state();
//     }                                 // they go on

#include <flowgraph/config.hpp>

#include <memory>
#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {
struct session_state;
}

// A session rests as long as this lives. Runs of the thread that made it are carried out.
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

}
}  // namespace flowgraph
