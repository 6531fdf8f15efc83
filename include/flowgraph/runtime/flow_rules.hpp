#pragma once
// The part of the runtime that a plan has when its graph has branches or loops, by way of the ops that make them.

#include <flowgraph/core/function.hpp>
#include <flowgraph/graph/graph.hpp>
#include <flowgraph/op/table.hpp>

#include <mutex>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

class executor;
struct iteration;
struct plan;

struct flow_rules {
  // While a plan is made.
  error (*assign_frames)(plan& p, const std::vector<std::uint32_t>& record_of, function_ref<bool(const edge&)> is_fed);
  void (*make_lines)(plan& p, bool has_threads);
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

}  // namespace flowgraph
