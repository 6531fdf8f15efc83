#pragma once
// Puts the nodes of a file into a graph, under their own names.
//
//     auto made = fg::import_graph(g, file, ops, {.prefix = "model"}).value();
//     auto y = s.try_run({.feeds = {{"model/x:0", x}}, .fetches = {"model/y:0"}});

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/interop/graph_def.hpp>
#include <flowgraph/op/registry.hpp>

#include <cstddef>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// How a file is put into a graph.
struct import_options {
  std::string prefix = {};  // "a": node x of the file becomes a/x
  // What nodes of the file read instead of outputs of its own: {"x:0", handle}; {"^x", handle} for control inputs.
  std::vector<std::pair<std::string, any_out>> inputs = {};
  // Inputs that the file does not define are nodes that the graph has, with the prefix.
  bool extend = false;
  // Which of the file's variables minimize(loss) may train, by the names of their nodes: meta_graph::trainable_variables. The others
  // are variables of the graph as well, and not trainable.
  std::vector<std::string> trainable_variables = {};
  // The file is one of the parts into which TensorFlow cut a graph (ops/exchange.hpp): names of nodes may begin with '_', and a node may
  // ask to be with nodes of other parts.
  bool is_part = false;
  // How far calls of functions go: within each other, and how many nodes they become.
  std::size_t nested_calls = 64, nodes_of_calls = 200'000;
};

// The nodes that an import made, in the order of the file; then those that calls of functions became.
struct imported {
  std::vector<node*> nodes;
  std::vector<std::string> names;  // as in the file

  // The node that has that name in the file; null if there is none.
  node* find(std::string_view name) const noexcept;
  // The output that "x:1" or "x" in the file names.
  result<any_out> output(std::string_view name) const;
  // The outputs of nodes that no other node of the file reads, as "y:0", in the order of the file: the results of a model about which
  // nothing else is known. Left out are nodes without inputs, references and handles, and nodes in loops and on branches.
  std::vector<std::string> unread_outputs() const;
};

// Adds the nodes of a file to a graph. Calls of functions become the nodes that do the same; under the call's name stand its
// outputs (docs/interop.md). Nodes may stand in any order, and loops have back edges. Attributes that are missing have their
// defaults; those that begin with '_' are left out, but for the colocation. Ops that the registry lacks are refused all at once:
// each with how often it occurs and the first node. On an error the graph is what it was.
result<imported> import_graph(const graph& g, const graph_def& file, const registry& ops, const import_options& options = {},
                              std::source_location where = std::source_location::current());

// Whether an op calls functions, as If, While and PartitionedCall do: no registry needs to have it, since an import puts the
// functions in its place. A node may also have a function of the library as its op.
bool is_call_of_functions(std::string_view op) noexcept;

}
}  // namespace flowgraph
