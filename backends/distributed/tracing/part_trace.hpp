#pragma once
// Records the run of a part at its task, for a client that traces the step.

#include <flowgraph/distributed/recycled.hpp>
#include <flowgraph/distributed/task.hpp>
#include <flowgraph/runtime/options.hpp>

#include <functional>
#include <memory>
#include <span>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

class part_trace {
public:
  virtual ~part_trace() = default;
  // The run begins: what it has among its options.
  virtual run_tracer& begin() = 0;
  // It has ended, and nothing of it runs any more. `peers`: the task at the other end of each edge.
  virtual void end(std::span<const std::uint32_t> peers) = 0;
  // As it travels; empty where the run has not begun.
  virtual recycled_text bytes() const = 0;
};

// How a task makes them.
struct part_recording {
  task_recorder made_by = nullptr;                        // null: it does not
  std::function<void(const collected_trace&)> told = {};  // hears of each at its end; may be empty

  std::shared_ptr<part_trace> begin(const cluster& all, std::uint32_t task, std::uint64_t step) const {
    return made_by ? made_by(all, task, step, told) : nullptr;
  }
};

}
}
}  // namespace flowgraph::distributed
