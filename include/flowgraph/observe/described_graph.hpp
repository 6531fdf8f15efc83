#pragma once
// A graph as TensorBoard shows it: a GraphDef to be looked at, not to be run.
//
//     std::string message = fg::described_graph(g);

#include <flowgraph/graph/graph.hpp>

#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct description_options {
  std::size_t largest_tensor = 1024;  // bytes; of larger constants type and shape are written, not the elements
};

// The GraphDef message of all nodes: names with their scopes, ops, inputs, devices, attributes, and the shapes of outputs as far as they are known
// before a run (`_output_shapes`). Every op stands under its name, those that TensorFlow lacks too; to exchange graphs there is
// interop/export.hpp. A thread may be adding nodes meanwhile: those that were there at the call are written.
std::string described_graph(const graph& g, const description_options& options = {});

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/described_graph.hpp>
#endif
