#pragma once

#include <flowgraph/ops/control_flow/control_flow.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list detail::switch_shapes(shape_context& c, const flowgraph::shape& x,
                                                                 const flowgraph::shape& predicate) {
  if (predicate.rank > 0) c.fail("the predicate must be a scalar");
  return {x, x};
}

// Returns the part of the shape in which all inputs agree.
FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list detail::merge_shapes(shape_context& c, std::span<const flowgraph::shape> x) {
  if (x.empty()) return {c.fail("at least one input"), shape{}};
  flowgraph::shape common = x[0];
  for (const flowgraph::shape& s : x.subspan(1)) {
    if (s.rank != common.rank) common = shape::unknown();
    for (int i = 0; i < common.rank; ++i)
      if (s[i] != common[i]) common[i] = -1;
  }
  return {common, shape{}};
}

}  // namespace flowgraph
