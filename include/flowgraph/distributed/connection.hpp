#pragma once
// Connects a session to a cluster: to any of its tasks, which is the session's master from then on.
//
//     fg::session s{g, fg::connect(network, "a:1")};
//
// Over TCP: fg::tcp::connect.

#include <flowgraph/distributed/transport.hpp>
#include <flowgraph/runtime/session_target.hpp>

#include <memory>
#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct connect_options {
  std::string token = {};  // that of the tasks
  bool isolated =
      false;  // variables and other state are the session's own, and end with it; else all sessions share them by name
};

// The first run connects. A session whose master is lost connects anew with the next run: state at other tasks is there then, the
// master's is not.
session_target connect(std::shared_ptr<transport> by, std::string address, const connect_options& options = {});

}
}  // namespace flowgraph
