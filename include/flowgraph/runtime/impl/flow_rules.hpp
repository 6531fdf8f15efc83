#pragma once

#include <flowgraph/runtime/flow_rules.hpp>
#include <flowgraph/runtime/flow_line.hpp>
#include <flowgraph/runtime/impl/frames_of.hpp>
#include <flowgraph/runtime/impl/loop_lines.hpp>
#include <flowgraph/runtime/impl/loops.hpp>
#include <flowgraph/runtime/impl/whole_loops.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_INLINE const flow_rules& rules_of_flow() {
  static constexpr flow_rules rules{&assign_frames,       &make_loop_lines,       &flow_line::make, &flow_line::run,
                                    &flow_line::describe, &executor::run_control, &executor::settle};
  return rules;
}

}  // namespace detail

}
}  // namespace flowgraph
