#pragma once
// The tasks of a cluster, for cases that are spread over them: on a simulated network, or as processes that use TCP. Without
// flowgraph::tcp there are no processes.

#include <flowgraph/op/registry.hpp>
#include <flowgraph/passes/options.hpp>
#include <flowgraph/runtime/session_target.hpp>

#include <cstdint>
#include <memory>

namespace conformance {

class clustered_tasks {
public:
  virtual ~clustered_tasks() = default;
  // Returns the target of a new session, which shares no state with others.
  virtual flowgraph::session_target connect() = 0;
};

// `further`: passes that each task applies to its parts.
std::unique_ptr<clustered_tasks> simulated_tasks(unsigned count, std::uint64_t seed, const flowgraph::registry& ops,
                                                 const flowgraph::further_passes& further);
// Starts processes in the current folder. They end with the returned object.
std::unique_ptr<clustered_tasks> task_processes(unsigned count, const flowgraph::registry& ops);

}  // namespace conformance
