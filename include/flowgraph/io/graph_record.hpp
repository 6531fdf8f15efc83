#pragma once
// A graph as plain values. They can be written to a file or sent to another process, and converted back to a graph there.
//
//     const fg::graph_record kept = fg::record_of(g).value();
//     fg::graph twin = fg::graph_of(kept, ops).value();              // ops: a registry with the ops of the graph
//     fg::session s{twin};                                           // returns the same bits as a session of `g`
//
// To send a graph that grows, send only its new nodes: record_of(g, n) returns the nodes from id n on, and add_record appends
// them to a copy that has the first n nodes.

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/op/attribute.hpp>
#include <flowgraph/op/registry.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// An output of a node. The node is given by its id.
struct edge_record {
  std::uint32_t node = 0, port = 0;  // id of the node, and index of its output
  bool operator==(const edge_record&) const = default;
};

// The line of the program that added a node.
struct line_record {
  std::string file, function;          // file name and function name
  std::uint32_t line = 0, column = 0;  // line number and column number, from 1
  bool operator==(const line_record&) const = default;
};

// A node and the name of its op.
struct node_record {
  std::string op, name;  // names of the op and of the node
  // Element types, and the attributes in the op's `attrs`. Tensors of constants are shared with the graph.
  std::vector<std::pair<std::string, attribute_value>> attributes = {};
  std::vector<edge_record> inputs = {};            // an input from a later node is the back edge of a loop
  std::vector<std::uint32_t> list_sizes = {};      // lengths of list inputs, if there are several
  std::vector<std::uint32_t> control_inputs = {};  // ids of nodes that run before this node
  std::string device = {};                         // the device that the node requires
  std::vector<std::string> colocated_with = {};    // names of nodes that must be on the same device
  std::uint32_t line = 0;                          // index in graph_record::lines
  std::uint32_t body = 0;  // number of the loop body or branch that contains the node: i + 1 is bodies[i] of the graph; 0: none
  shape variable_shape = shape::unknown();  // for a loop's variable: its shape in all iterations

  // Compares bit by bit, including tensors.
  bool operator==(const node_record& other) const;
};

// The body of a loop or a branch. Nodes outside the body may not read its values.
struct body_record {
  std::string name;          // name of the body, for error messages
  std::uint32_t around = 0;  // the enclosing body, as in node_record::body
  bool operator==(const body_record&) const = default;
};

// A variable of the graph: its edge, and whether optimizers train it.
struct variable_record {
  edge_record of;             // the edge
  bool is_trainable = false;  // whether optimizers train it
  bool operator==(const variable_record&) const = default;
};

// The contents of a graph, without the gradient functions that replace the gradients of ops, because these are functions of the
// program.
struct graph_record {
  std::uint32_t first = 0;                                        // id of nodes[0]; earlier nodes are in other records
  std::vector<node_record> nodes = {};                            // the nodes, in the order of creation
  std::vector<line_record> lines = {};                            // the lines, without duplicates
  std::vector<body_record> bodies = {};                           // bodies of loops and branches
  std::vector<variable_record> variables = {};                    // the variables
  std::vector<std::uint32_t> initializers = {};                   // ids of the initializer nodes
  std::vector<std::pair<std::string, std::uint32_t>> names = {};  // scope names in lower case, and how often each was requested
  std::int64_t seed = 0;                                          // the graph's seed

  bool operator==(const graph_record&) const = default;
};

// Returns the nodes of a graph from id `first` on. If a construction in the graph was refused, returns an error. Only the members
// in an op's `attrs` are recorded; in the copy, the other members have their default values.
result<graph_record> record_of(const graph& g, std::size_t first = 0);

// Returns a graph with the nodes of a whole record, with their names, lines, devices and variables. If the registry does not have
// an op, or if the record is not a valid graph, returns an error that names the node and the op.
result<graph> graph_of(const graph_record& record, const registry& ops);

// Appends the nodes of a record to a graph that has the preceding nodes. After an error the graph is unchanged.
result<void> add_record(const graph& g, const graph_record& record, const registry& ops);

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/io/impl/graph_record.hpp>
#endif
