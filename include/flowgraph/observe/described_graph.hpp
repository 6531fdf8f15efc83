#pragma once
// Describes a graph as a GraphDef that TensorBoard displays. The GraphDef is not meant to be run.
//
//     std::string message = fg::described_graph(g);

#include <flowgraph/graph/graph.hpp>

#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of described_graph.
struct description_options {
  // Largest size, in bytes, of a constant that is written with its elements. Larger constants are written only with type and
  // shape.
  std::size_t largest_tensor = 1024;
};

// Returns a GraphDef message that describes all nodes: their names with scopes, ops, inputs, devices, attributes, and the known
// shapes of their outputs (`_output_shapes`). Ops keep their names even if TensorFlow does not have them; to exchange graphs, use
// interop/export.hpp. If another thread adds nodes during the call, only the nodes that existed before the call are written.
std::string described_graph(const graph& g, const description_options& options = {});

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/described_graph.hpp>
#endif
