#pragma once
// Lets tasks that know their ranks find each other. Each task announces itself to rank 0, which answers with the addresses of all
// tasks. This is one request and its answer, over links that have proved that they know the token.

#include <flowgraph/distributed/transport.hpp>
#include <flowgraph/distributed/waiting_for.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

struct meeting_options {
  std::string run;  // equal for all tasks of a run, and different for other runs
  std::uint32_t rank = 0, size = 1;
  std::string at;   // the address where rank 0 listens during the meeting
  std::string own;  // the address where this task will listen; ":port": rank 0 adds the host
  std::string token = {};
  std::chrono::nanoseconds patience = std::chrono::seconds(60);
  waiting_listener on_waiting = {};  // called on the thread that meets
};

// Returns the address of each rank. If there is an error, all tasks that can still be reached get it.
result<std::vector<std::string>> meet(const std::shared_ptr<transport>& by, const meeting_options& options);

}  // namespace flowgraph::distributed
