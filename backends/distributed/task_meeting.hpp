#pragma once
// How tasks that know their numbers find each other: each announces itself to rank 0, which answers all of them with the addresses of all.
// A request and its answer, over links that have proved to know the token.

#include <flowgraph/distributed/transport.hpp>
#include <flowgraph/distributed/waiting_for.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

struct meeting_options {
  std::string run;  // the same for all tasks, and for no others
  std::uint32_t rank = 0, size = 1;
  std::string at;   // where rank 0 listens meanwhile
  std::string own;  // where this task will listen; ":port": rank 0 has seen where the task is
  std::string token = {};
  std::chrono::nanoseconds patience = std::chrono::seconds(60);
  waiting_listener on_waiting = {};  // from the thread that meets
};

// The address of each rank. An error is that of all tasks, where they can still be told.
result<std::vector<std::string>> meet(const std::shared_ptr<transport>& by, const meeting_options& options);

}
}
}  // namespace flowgraph::distributed
