#pragma once
// Notification that a process waits for others to become reachable.
//
//     fg::connect(network, "a:1", {.on_waiting = [](const fg::waiting_for& w) { std::puts(fg::to_string(w).c_str()); }});

#include <flowgraph/core/message.hpp>

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A task that is not reachable yet.
struct waiting_for {
  // Name of the task or tasks: "/job:worker/task:1", "the master", "rank 2 and 1 more".
  std::string task;
  std::string address;                  // address at which it is expected
  std::chrono::nanoseconds since = {};  // time of the wait so far
};

// Called once per second of waiting. It must return soon.
using waiting_listener = std::function<void(const waiting_for&)>;

// Returns "waits for /job:worker/task:1 at 10.0.0.2:4000, since 3 s".
inline std::string to_string(const waiting_for& w) {
  return message{"waits for ", w.task,     " at ",
                 w.address,    ", since ", std::chrono::duration_cast<std::chrono::seconds>(w.since).count(),
                 " s"};
}

// Writes that line to the standard error output.
inline void print_waiting(const waiting_for& w) { std::fprintf(stderr, "flowgraph %s\n", to_string(w).c_str()); }

}  // namespace flowgraph
