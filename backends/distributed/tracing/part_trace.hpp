#pragma once
// Records the run of a part at its task, for a client that traces the step.

#include <flowgraph/distributed/recycled.hpp>
#include <flowgraph/distributed/task.hpp>
#include <flowgraph/runtime/options.hpp>

#include <functional>
#include <memory>
#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

class part_trace {
public:
  virtual ~part_trace() = default;
  // Begins the trace, and returns the tracer for the options of the run.
  virtual run_tracer& begin() = 0;
  // Ends the trace. Nothing of the run may be running any more. `peers` contains the task at the other end of each edge.
  virtual void end(std::span<const std::uint32_t> peers) = 0;
  // Returns the trace as bytes; empty if the run has not begun.
  virtual recycled_text bytes() const = 0;
};

// Creates the part_trace objects of a task.
struct part_recording {
  task_recorder made_by = nullptr;                            // null: parts are not recorded
  std::function<void(const collected_trace&)> listener = {};  // receives each trace at its end; may be empty

  std::shared_ptr<part_trace> begin(const cluster& all, std::uint32_t task, std::uint64_t step) const {
    return made_by ? made_by(all, task, step, listener) : nullptr;
  }
};

}  // namespace flowgraph::distributed
