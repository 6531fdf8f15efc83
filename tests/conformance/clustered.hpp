#pragma once
// The tasks of a cluster, for the cases that are spread over them: on a simulated network, or processes that speak TCP. Without flowgraph::tcp there
// are none.

#include <flowgraph/op/registry.hpp>
#include <flowgraph/passes/options.hpp>
#include <flowgraph/runtime/session_target.hpp>

#include <cstdint>
#include <memory>

namespace conformance {

class clustered_tasks {
public:
  virtual ~clustered_tasks() = default;
  // A session of its own, which shares no state with others.
  virtual flowgraph::session_target connect() = 0;
};

// `further`: passes that each task runs over its parts.
std::unique_ptr<clustered_tasks> simulated_tasks(unsigned count, std::uint64_t seed, const flowgraph::registry& ops,
                                                 const flowgraph::further_passes& further);
// Their processes begin in the folder of this one, and end with it.
std::unique_ptr<clustered_tasks> task_processes(unsigned count, const flowgraph::registry& ops);

}  // namespace conformance
