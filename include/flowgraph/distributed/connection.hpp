#pragma once
// Connects a session to a cluster: to any of its tasks, which is the session's master from then on.
//
//     fg::session s{g, fg::connect(network, "a:1")};
//
// Over TCP: fg::tcp::connect.

#include <flowgraph/distributed/traffic.hpp>
#include <flowgraph/distributed/transport.hpp>
#include <flowgraph/distributed/waiting_for.hpp>
#include <flowgraph/runtime/session_target.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Float values on their way from one task to another: as they are, or all or large ones as their upper 16 bits (bfloat16), which is half of
// the bytes and 8 of their 24 binary digits. What the client feeds and fetches travels as it is.
enum class narrowed_floats : std::uint8_t {
  off,
  all,
  large,  // those that have connect_options::large_from elements at least, where that is known before they run
};

struct connect_options {
  std::string token = {};  // that of the tasks
  bool isolated = false;   // its variables and other state are its own, and end with it; else sessions share them by name
  narrowed_floats narrowed = narrowed_floats::off;  // which values travel between tasks with fewer digits
  std::uint64_t large_from = 4096;                  // how many elements make a value large
  // Values of so many bytes travel between tasks as soon as they are made; larger ones wait at the task that has made them until the one
  // that reads them is there, and asks. 0: all do.
  std::uint64_t pushed_up_to = 65536;
  std::shared_ptr<traffic_counter> traffic = {};  // counts what goes between the session and its master
  std::string task = {};                          // "/job:worker/task:0": who has to be there, or it is an error; empty: any task
  // So long the master may be silent until it is taken for dead: two seconds at least. It waits for the client by its task_options::silence.
  std::chrono::nanoseconds silence = std::chrono::milliseconds(2500);
  waiting_listener on_waiting = {};  // hears that the master is not there after a second, from the thread whose run waits
};

// The session's master is the task that listens there. The first run connects, and says what is in the way. A session whose master is lost
// connects anew with the next run. Where state of the session was lost, there or at another task, one run fails with
// error_code::unavailable and names it; the runs after it go on without: docs/failure.md.
session_target connect(std::shared_ptr<transport> by, std::string address, const connect_options& options = {});

}
}  // namespace flowgraph
