#pragma once
// Connects a session to a cluster. The session can connect to any task, which becomes its master.
//
//     fg::session s{g, fg::connect(network, "a:1")};
//
// To connect over TCP, use fg::tcp::connect.

#include <flowgraph/distributed/traffic.hpp>
#include <flowgraph/distributed/transport.hpp>
#include <flowgraph/distributed/waiting_for.hpp>
#include <flowgraph/runtime/session_target.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The format in which tasks send float values to each other. Values are sent unchanged, or only the upper 16 bits (bfloat16) of
// all values or of large values are sent, which takes half of the bytes and keeps 8 of the 24 significant bits. Feeds and fetches
// of the client are always sent unchanged.
enum class narrowed_floats : std::uint8_t {
  off,    // values are sent unchanged
  all,    // all values are sent with reduced precision
  large,  // values that have at least connect_options::large_from elements, if their size is known before they are computed
};

// Options of connect.
struct connect_options {
  std::string token = {};  // secret token of the tasks
  // True: variables and other state belong to this session and end with it; false: sessions share them by name.
  bool isolated = false;
  narrowed_floats narrowed = narrowed_floats::off;  // the values that tasks send to each other with reduced precision
  std::uint64_t large_from = 4096;                  // number of elements from which a value counts as large
  // Values of at most this number of bytes are sent to other tasks as soon as they are computed. Larger values wait at their task
  // until their reader requests them. 0: all values wait.
  std::uint64_t pushed_up_to = 65536;
  std::shared_ptr<traffic_counter> traffic = {};  // counts the traffic between the session and its master
  // Expected name of the master, for example "/job:worker/task:0"; any other name is an error. Empty: any task.
  std::string task = {};
  // Time without a message after which the master is considered lost; at least two seconds. The master uses its
  // task_options::silence for the client.
  std::chrono::nanoseconds silence = std::chrono::milliseconds(2500);
  // Called if the master is not reachable after a second. The thread that waits for its run makes this call.
  waiting_listener on_waiting = {};
};

// Returns a target for sessions whose master is the task at this address. The first run connects, and reports connection errors.
// If the master is lost, the next run connects again. If state of the session was lost, on the master or on another task, one run
// fails with error_code::unavailable, and the error names the state. Later runs continue without this state: docs/failure.md.
session_target connect(std::shared_ptr<transport> by, std::string address, const connect_options& options = {});

}  // namespace flowgraph
