#pragma once
// Parts of GraphDef that other files of this folder read as well.

#include "wire.hpp"

#include <flowgraph/interop/graph_def.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace wire {

// AttrValue. What flowgraph has no value for is kept as it stands.
attribute_def read_attribute(bytes from, allowance& left);
// An entry of a map of attributes; the last one of a name counts.
void read_attribute_entry(bytes from, allowance& left, node_def& into);
node_def read_node(bytes from, allowance& left);
graph_def read_graph(bytes from, allowance& left);
void write_graph(const graph_def& graph, writer& to);

}
}
}  // namespace flowgraph::wire
