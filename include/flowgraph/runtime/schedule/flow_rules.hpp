#pragma once
// The functions of the runtime for branches and loops. The ops that create branches and loops refer to these functions. Ops that
// create resources of one run refer to them, too, for the schedules of prepared steps.

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/op/table.hpp>
#include <flowgraph/runtime/step.hpp>

#include <memory>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class draft;
class executor;
class flow_runner;
class root_schedule;
struct plan;
struct planned;
struct session_state;

struct flow_rules {
  // Called while a plan is made.
  error (*assign_frames)(plan& p, const draft& from);
  void (*plan_bodies)(plan& p, bool has_threads);
  // Returns the schedule of a prepared step. Null if the plan needs the ready queue; `why` is then the reason.
  std::unique_ptr<root_schedule> (*schedule)(session_state& session, const planned& p, const char*& why);
  // Called when an executor is made.
  std::unique_ptr<flow_runner> (*make_runner)(executor& of);
  bool exchanges = false;  // true: also supports nodes that send to other parts of a run, and receive from them
};

// Returns the functions that an op refers to. Precondition: it is an op of control flow, an op that sends or receives, or an op
// that creates a resource of one run.
inline const flow_rules& rules_behind(const op_table& op) { return op.description->flow(); }

}  // namespace flowgraph::detail
