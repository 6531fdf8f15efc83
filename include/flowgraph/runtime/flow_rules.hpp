#pragma once
// The part of the runtime that a plan has when its graph has branches or loops, by way of the ops that make them.

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/op/table.hpp>
#include <flowgraph/runtime/step.hpp>

#include <memory>
#include <mutex>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

class draft;
class executor;
class flow_line;
struct iteration;
struct plan;
struct planned;
struct session_state;

struct flow_rules {
  // While a plan is made.
  error (*assign_frames)(plan& p, const draft& from);
  void (*make_lines)(plan& p, bool has_threads);
  // For a prepared step, whose runs that line then makes. Null, and why, where the plan needs the ready queue.
  std::shared_ptr<flow_line> (*prepare)(session_state& session, const planned& p, const char*& why);
  error (flow_line::*run_line)(std::span<const any_tensor* const> feeds, std::span<any_tensor> fetched,
                               const run_options* options);
  void (flow_line::*describe)(step_report& made) const;
  // During a run.
  void (executor::*run)(std::uint32_t record, iteration& at, std::unique_lock<std::mutex>& baton);
  void (executor::*settle)(iteration& at);
};

// A header-only program has all of the runtime in any case.
inline const flow_rules& rules_behind([[maybe_unused]] const op_table& op) {
#ifdef FLOWGRAPH_HEADER_ONLY
  return rules_of_flow();
#else
  return op.description->flow();
#endif
}

}  // namespace detail

}
}  // namespace flowgraph
