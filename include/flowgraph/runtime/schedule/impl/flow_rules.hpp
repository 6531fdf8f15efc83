#pragma once

#include <flowgraph/runtime/schedule/flow_rules.hpp>
#include <flowgraph/runtime/schedule/owned_root.hpp>
#include <flowgraph/runtime/planning/impl/frames_of.hpp>
#include <flowgraph/runtime/planning/impl/plan_bodies.hpp>
#include <flowgraph/runtime/queue/impl/flow_runner.hpp>
#include <flowgraph/runtime/queue/impl/whole_loops.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE const flow_rules& rules_of_flow() {
  static constexpr flow_rules rules{
      &assign_frames, &plan_loop_bodies, &owned_root::make,
      +[](executor& of) -> std::unique_ptr<flow_runner> { return std::make_unique<queue_flow_runner>(of); }};
  return rules;
}

}  // namespace flowgraph::detail
