#pragma once
// Functions for parts of GraphDef that other files of this folder use, too.

#include "protobuf.hpp"

#include <flowgraph/interop/graph_def.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

// Reads an AttrValue. A value that flowgraph does not support is kept in its serialized form.
attribute_def read_attribute(bytes from, allowance& left);
// Reads an entry of a map of attributes. If a name occurs several times, the last entry counts.
void read_attribute_entry(bytes from, allowance& left, node_def& into);
node_def read_node(bytes from, allowance& left);
graph_def read_graph(bytes from, allowance& left);
void write_graph(const graph_def& graph, writer& to);

}  // namespace flowgraph::protobuf
