#pragma once
// Exports a graph to a file that TensorFlow loads and runs.
//
//     fg::save_graph_def(fg::export_graph(g).value(), "model.pb").value();

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/interop/graph_def.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of export_graph: the part of the graph that the file contains, and its form.
struct export_options {
  // The targets that the file contains, with all nodes that they need. Empty: all nodes.
  std::span<const target> targets = {};
  // Number of the first node to export. Earlier nodes are omitted, because another file contains them. Default: 0.
  std::size_t first = 0;
  // True: ops that TensorFlow does not have are written too, and histories of loops are written unchanged. Only flowgraph, and
  // programs that register these ops, can load such a file. False: ops that TensorFlow does not have are errors.
  bool foreign_ops = false;
  // Name of an additional node, for example "init". When this node is run, it assigns the initial values of the variables in the
  // file. Empty: no such node.
  std::string initializer = {};
};

// Returns a graph in the form of a file. Names, ops and attributes are written unchanged, because they are the same in
// TensorFlow; histories of loops become TensorFlow's lists (docs/interop.md). If the graph has ops that TensorFlow does not have,
// returns an error that lists each of these ops with the number of its nodes and its first node.
result<graph_def> export_graph(const graph& g, const export_options& options = {});

}  // namespace flowgraph
