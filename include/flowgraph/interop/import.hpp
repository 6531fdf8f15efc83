#pragma once
// Adds the nodes of a file to a graph, with the names that they have in the file.
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

// Options of import_graph.
struct import_options {
  // Name scope of the nodes. With "a", node x of the file becomes a/x.
  std::string prefix = {};
  // Edges that replace outputs in the file: {"x:0", handle}; {"^x", handle} for control inputs.
  std::vector<std::pair<std::string, any_out>> inputs = {};
  // True: inputs that the file does not define are nodes of the graph, with the prefix. False: they are errors.
  bool extend = false;
  // Node names of the variables that minimize(loss) may train, such as meta_graph::trainable_variables. The other variables of
  // the file are added to the graph too, but are not trainable.
  std::vector<std::string> trainable_variables = {};
  // True: the file is one of the parts into which TensorFlow cut a graph (ops/exchange.hpp): node names may begin with '_',
  // and nodes may be colocated with nodes of other parts.
  bool is_part = false;
  // Limits of function calls: their depth of nesting, and the number of nodes that replace them.
  std::size_t nested_calls = 64, nodes_of_calls = 200'000;
};

// The nodes that an import added, in the order of the file, followed by the nodes that replace calls of functions.
struct imported {
  std::vector<node*> nodes;        // the nodes
  std::vector<std::string> names;  // names in the file

  // Returns the node with this name in the file, or null if it does not exist.
  node* find(std::string_view name) const noexcept;
  // Returns the output with this name in the file: "x:1", or "x" for output 0.
  result<any_out> output(std::string_view name) const;
  // Returns the outputs of nodes that no other node of the file reads, as "y:0", in the order of the file: the results of a model
  // about which nothing else is known. Nodes without inputs, references and handles, and nodes in loops and branches are omitted.
  std::vector<std::string> unread_outputs() const;
};

// Adds the nodes of a file to a graph. Calls of functions are replaced by the nodes of the functions; the outputs keep the call's
// name (docs/interop.md). Nodes may be in any order, and loops have back edges. Missing attributes get their defaults; attributes
// that begin with '_' are ignored, except colocation. Ops that the registry does not have are refused; the error lists each of
// them with its number of nodes and its first node. After an error the graph is unchanged.
result<imported> import_graph(const graph& g, const graph_def& file, const registry& ops, const import_options& options = {},
                              std::source_location where = std::source_location::current());

// Returns whether an op calls functions, as If, While and PartitionedCall do. The registry need not contain such an op, since
// the import replaces it by the functions. The op of a node may also be the name of a function in the library.
bool is_call_of_functions(std::string_view op) noexcept;

}
}  // namespace flowgraph
