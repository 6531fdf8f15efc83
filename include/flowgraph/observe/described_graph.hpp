#pragma once
// A graph as a GraphDef for TensorBoard, to be displayed and not run.
//
//     std::string message = fg::described_graph(g);

#include <flowgraph/graph/graph.hpp>

#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Options of described_graph.
struct description_options {
  // Size limit in bytes; larger constants are written with type and shape, but without elements.
  std::size_t largest_tensor = 1024;
};

// Returns a GraphDef message of all nodes: names with scopes, ops, inputs, devices, attributes, and the known shapes of outputs
// (`_output_shapes`). Ops keep their names even if TensorFlow does not have them; to exchange graphs, use interop/export.hpp. If
// another thread adds nodes meanwhile, only the nodes at the time of the call are written.
std::string described_graph(const graph& g, const description_options& options = {});

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/described_graph.hpp>
#endif
