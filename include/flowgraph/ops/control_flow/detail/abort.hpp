#pragma once

#include <flowgraph/ops/control_flow/abort.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_KERNEL_INLINE void abort_op::operator()(cpu ctx) const {
  ctx.fail(error_code::aborted, error_msg.empty() ? std::string("the graph ended its run") : error_msg);
}

}  // namespace flowgraph
