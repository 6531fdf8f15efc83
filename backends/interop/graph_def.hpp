#pragma once
// Parts of GraphDef that other files of this folder read as well.

#include "wire.hpp"

#include <flowgraph/interop/graph_def.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::wire {

graph_def read_graph(bytes from, allowance& left);
void write_graph(const graph_def& graph, writer& to);

}  // namespace flowgraph
