#pragma once

#include <flowgraph/ops/math/math.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE shape add_n_op::shape(shape_context& c, std::span<const flowgraph::shape> inputs) const {
  if (inputs.empty()) return c.fail("expected at least one input");
  flowgraph::shape sum = inputs[0];
  for (const flowgraph::shape& x : inputs) {
    if (!fits(x, sum)) return c.fail("expected inputs of one shape");
    sum = merged(sum, x);
  }
  return sum;
}

}  // namespace flowgraph
