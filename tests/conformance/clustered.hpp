#pragma once
// The tasks of a cluster on a simulated network, for the cases that are spread over them. Without flowgraph::tcp there are none.

#include <flowgraph/core/error.hpp>
#include <flowgraph/op/registry.hpp>
#include <flowgraph/runtime/session_target.hpp>

#ifdef FLOWGRAPH_REPLAY_CLUSTERED
#include <flowgraph/distributed/connection.hpp>
#include <flowgraph/distributed/simulated_network.hpp>
#include <flowgraph/distributed/task.hpp>
#endif

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace conformance {

class clustered_tasks {
public:
#ifdef FLOWGRAPH_REPLAY_CLUSTERED
  clustered_tasks(unsigned count, std::uint64_t seed, const flowgraph::registry& ops) : net_(seed) {
    flowgraph::cluster::job workers{"worker", {}};
    for (unsigned i = 0; i < count; ++i) workers.addresses.push_back("task" + std::to_string(i) + ":1");
    const flowgraph::cluster all({workers});
    for (unsigned i = 0; i < count; ++i)
      tasks_.push_back(flowgraph::task::make(net_.host("task" + std::to_string(i)), all, "worker", i, ops).value());
  }
  flowgraph::session_target connect() { return flowgraph::connect(net_.host("client"), "task0:1"); }

private:
  flowgraph::simulated_network net_;
  std::vector<std::unique_ptr<flowgraph::task>> tasks_;
#else
  clustered_tasks(unsigned, std::uint64_t, const flowgraph::registry&) {
    std::fputs("replay --clustered needs flowgraph::tcp\n", stderr);
    std::exit(2);
  }
  flowgraph::session_target connect() { return {}; }
#endif
};

}  // namespace conformance
