#pragma once
// Records what the run of a part does at its task, for a client that traces the step.

#include <flowgraph/distributed/cluster.hpp>
#include <flowgraph/observe/trace.hpp>
#include <flowgraph/runtime/tracing/run_recording.hpp>

#include <functional>
#include <memory>
#include <span>
#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

class part_trace {
public:
  // `told`: hears of it at the end; may be empty.
  part_trace(const cluster& all, std::uint32_t task, std::uint64_t step, std::function<void(const collected_trace&)> told);

  // The run begins: what it has among its options.
  run_tracer& begin();
  // It has ended, and nothing of it runs any more. `peers`: the task at the other end of each edge.
  void end(std::span<const std::uint32_t> peers);
  // As it travels; empty where the run has not begun.
  std::string bytes() const;

private:
  const cluster& all_;
  std::uint32_t task_, step_;
  std::function<void(const collected_trace&)> told_;
  std::shared_ptr<detail::trace_log> log_;
  std::unique_ptr<detail::run_recording> run_;
  std::int64_t begun_ = 0;
  std::string bytes_;
};

}
}
}  // namespace flowgraph::distributed
