#pragma once
// Exports a graph to a file that TensorFlow loads and runs.
//
//     fg::save_graph_def(fg::export_graph(g).value(), "model.pb").value();

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/interop/graph_def.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// The parts of a graph that a file contains, and their form.
struct export_options {
  // The targets that the file contains, with all nodes that they need. Empty: all nodes.
  std::span<const target> targets = {};
  // Number of the first node to export. Earlier nodes are omitted, because another file contains them. Default: 0.
  std::size_t first = 0;
  // True: ops that TensorFlow does not have are written too, and histories of loops are written unchanged. Only flowgraph, and
  // programs that register these ops, can load such a file. False: they are errors.
  bool foreign_ops = false;
  // Name of an additional node that assigns the initial values of the variables in the file when it is run: "init". Empty: none.
  std::string initializer = {};
};

// Returns a graph in the form of a file. Names, ops and attributes are written unchanged, as they are TensorFlow's; histories of
// loops become TensorFlow's lists (docs/interop.md). Ops that TensorFlow does not have are refused; the error lists each of them
// with its number of nodes and its first node.
result<graph_def> export_graph(const graph& g, const export_options& options = {});

}
}  // namespace flowgraph
