#pragma once
// A graph as a file that TensorFlow loads and runs.
//
//     fg::save_graph_def(fg::export_graph(g).value(), "model.pb").value();

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/interop/graph_def.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// What of a graph a file is to hold.
struct export_options {
  // What shall be in the file, with all that it needs; empty: everything.
  std::span<const target> targets = {};
  // Leaves out the nodes that the graph had when it was so large: another file holds them.
  std::size_t first = 0;
  // Ops that TensorFlow does not have are written too, and histories of loops as they are. Such a file is for programs that
  // register them, and for flowgraph.
  bool foreign_ops = false;
  // The name of a further node, which gives the variables in the file their initial values when it is run: "init". Empty: none.
  std::string initializer = {};
};

// A graph as files have it. Names, ops and attributes are TensorFlow's as they stand; histories of loops become its lists
// (docs/interop.md). Refused, all at once and each with how often it occurs and its first node, are ops that TensorFlow lacks.
result<graph_def> export_graph(const graph& g, const export_options& options = {});

}
}  // namespace flowgraph
