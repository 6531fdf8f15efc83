#pragma once

#include <flowgraph/ops/array/identity.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_KERNEL_INLINE target group(const graph& g, std::span<const target> nodes, site s) {
  std::vector<node*> after;
  for (const target& t : nodes)
    if (t.source && !t.source->is_poison()) after.push_back(t.source);
  const no_op nothing;
  node_request r;
  r.table = &table_of<no_op>;
  r.op = &nothing;
  r.control_inputs = after;
  return detail::add_node(g.state(), r, s);
}

}  // namespace flowgraph
