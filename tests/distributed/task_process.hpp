#pragma once
// Tasks that are separate processes. A file that starts them has a test case for them, which is skipped otherwise.

#include "own_process.hpp"

#include <flowgraph/core/message.hpp>
#include <flowgraph/distributed/tcp.hpp>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace flowgraph_test {

// Starts a task of a cluster of workers with these addresses; `test_case` must call started_task().
inline own_process start_task(const std::string& test_case, std::size_t task, const std::vector<std::string>& addresses) {
  std::string all;
  for (const std::string& address : addresses) all += (all.empty() ? "" : ",") + address;
  return own_process(test_case, flowgraph::message{"FLOWGRAPH_TEST_TASK=", task, "worker=", all});
}

// Returns the task that this process was started for, which now serves; null if it was started for something else.
inline std::unique_ptr<flowgraph::tcp::server> started_task(const flowgraph::registry& ops) {
  const char* const said = std::getenv("FLOWGRAPH_TEST_TASK");
  if (!said) return nullptr;
  auto made = std::make_unique<flowgraph::tcp::server>(*flowgraph::cluster::parse(said + 1), "worker",
                                                       static_cast<std::uint32_t>(said[0] - '0'), ops);
  own_process::say_ready();
  return made;
}

}  // namespace flowgraph_test
