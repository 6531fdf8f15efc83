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

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of import_graph.
struct import_options {
  // Name scope of the nodes. With "a", node x of the file becomes a/x.
  std::string prefix = {};
  // Edges that replace outputs in the file: {"x:0", handle}; {"^x", handle} for control inputs.
  std::vector<std::pair<std::string, any_out>> inputs = {};
  // True: an input that the file does not define is an output of the graph's node that has the name of the input, with the
  // prefix. False: such an input is an error.
  bool extend = false;
  // Node names of the variables that minimize(loss) may train, such as meta_graph::trainable_variables. The other variables of
  // the file are added to the graph too, but are not trainable.
  std::vector<std::string> trainable_variables = {};
  // True: the file is one of the parts into which TensorFlow cut a graph (ops/exchange.hpp): node names may begin with '_',
  // and nodes may be colocated with nodes of other parts.
  bool is_part = false;
  // Limits for calls of functions: the depth of nesting, and the number of nodes that replace the calls.
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
  // Returns the outputs of all nodes whose outputs no other node of the file reads, in the form "y:0" and in the order of the
  // file. If nothing else is known about a model, these outputs are its results. The list omits nodes without inputs, outputs
  // that are references or handles, and nodes in loops and branches.
  std::vector<std::string> unread_outputs() const;
};

// Adds the nodes of a file to a graph. Calls of functions are replaced by the nodes of the functions; the outputs keep the call's
// name (docs/interop.md). In the file, nodes may be in any order, and loops have back edges. Missing attributes get their
// defaults; attributes that begin with '_' are ignored, except colocation. If the file has ops that the registry does not have,
// returns an error that lists each of these ops with the number of its nodes and its first node. After an error the graph is
// unchanged.
result<imported> import_graph(const graph& g, const graph_def& file, const registry& ops, const import_options& options = {},
                              std::source_location where = std::source_location::current());

// Returns whether an op calls functions, like If, While and PartitionedCall. The registry need not contain such an op, because
// the import replaces the op by the functions. The op of a node may also be the name of a function in the library.
bool is_call_of_functions(std::string_view op) noexcept;

}  // namespace flowgraph
