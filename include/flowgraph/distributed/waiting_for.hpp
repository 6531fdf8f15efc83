#pragma once
// News of a process that waits for others to be there.
//
//     fg::connect(network, "a:1", {.on_waiting = [](const fg::waiting_for& w) { std::puts(fg::to_string(w).c_str()); }});

#include <flowgraph/core/message.hpp>

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// A task that is not there yet.
struct waiting_for {
  std::string task;                     // "/job:worker/task:1", "the master", "rank 2 and 1 more"
  std::string address;                  // where it is expected
  std::chrono::nanoseconds since = {};  // how long it was waited for
};

// Called once in each second of waiting; returns soon.
using waiting_listener = std::function<void(const waiting_for&)>;

// As a line of text: "waits for /job:worker/task:1 at 10.0.0.2:4000, since 3 s".
inline std::string to_string(const waiting_for& w) {
  return message{"waits for ", w.task,     " at ",
                 w.address,    ", since ", std::chrono::duration_cast<std::chrono::seconds>(w.since).count(),
                 " s"};
}

// Writes that line to the standard error.
inline void print_waiting(const waiting_for& w) { std::fprintf(stderr, "flowgraph %s\n", to_string(w).c_str()); }

}
}  // namespace flowgraph
