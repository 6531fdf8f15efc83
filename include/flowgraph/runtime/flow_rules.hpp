#pragma once
// The part of the runtime that a plan has when its graph has branches or loops, by way of the ops that make them. Ops that make what lives
// as long as a run bring it too, for the schedules of prepared steps.

#include <flowgraph/core/threads.hpp>
#include <flowgraph/graph/graph.hpp>
#include <flowgraph/op/table.hpp>
#include <flowgraph/runtime/step.hpp>

#include <memory>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

class draft;
class executor;
class root_schedule;
struct iteration;
struct plan;
struct planned;
struct session_state;

struct flow_rules {
  // While a plan is made.
  error (*assign_frames)(plan& p, const draft& from);
  void (*plan_bodies)(plan& p, bool has_threads);
  // The schedule of a prepared step. Null, and why, where the plan needs the ready queue.
  std::unique_ptr<root_schedule> (*schedule)(session_state& session, const planned& p, const char*& why);
  // During a run.
  void (executor::*run)(std::uint32_t record, iteration& at, threading::unique_lock<threading::mutex>& baton);
  void (executor::*settle)(iteration& at);
  bool exchanges = false;  // also runs what sends to other parts of a run, and receives from them
};

// Precondition: the op is one of control flow, of what is sent to others, or one that makes what lives as long as a run.
inline const flow_rules& rules_behind(const op_table& op) { return op.description->flow(); }

}  // namespace detail

}
}  // namespace flowgraph
