#pragma once
// A graph as plain values, to be kept in a file or sent to another process, and made into a graph again there.
//
//     const fg::graph_record kept = fg::record_of(g).value();
//     fg::graph twin = fg::graph_of(kept, ops).value();              // ops: a registry that has the ops of the graph
//     fg::session s{twin};                                           // answers as a session of `g` does, to the bit
//
// Sent in pieces while the graph grows, record_of(g, n) has the nodes from number n on, and add_record puts them behind the first n of a
// twin.

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/op/attribute.hpp>
#include <flowgraph/op/registry.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// An output of a node, by the node's number.
struct edge_record {
  std::uint32_t node = 0, port = 0;
  bool operator==(const edge_record&) const = default;
};

// A line of the program that made a node.
struct line_record {
  std::string file, function;
  std::uint32_t line = 0, column = 0;
  bool operator==(const line_record&) const = default;
};

// A node, of an op that is known by its name.
struct node_record {
  std::string op, name;
  // Element types, and what the op's `attrs` names; tensors of constants are shared with the graph.
  std::vector<std::pair<std::string, attribute_value>> attributes = {};
  std::vector<edge_record> inputs = {};            // one that comes later closes a loop
  std::vector<std::uint32_t> list_sizes = {};      // of list inputs, when there are several
  std::vector<std::uint32_t> control_inputs = {};  // numbers of nodes that run before it
  std::string device = {};                         // as requested
  std::vector<std::string> colocated_with = {};
  std::uint32_t line = 0;                   // in graph_record::lines
  std::uint32_t body = 0;                   // of a loop or a branch: i + 1 is bodies[i] of the graph; 0: none
  shape variable_shape = shape::unknown();  // of a variable of a loop, in all its iterations

  // Equal to the bit, tensors as well.
  bool operator==(const node_record& other) const;
};

// A body of a loop or a branch, which nodes outside may not read.
struct body_record {
  std::string name;
  std::uint32_t around = 0;  // the body that it stands in, as node_record::body
  bool operator==(const body_record&) const = default;
};

// An edge that is a variable of the graph, and whether optimizers train it.
struct variable_record {
  edge_record of;
  bool is_trainable = false;
  bool operator==(const variable_record&) const = default;
};

// All of a graph but the gradients that replace those of ops, which are functions of the program.
struct graph_record {
  std::uint32_t first = 0;  // the number of nodes[0]: those before are in other records
  std::vector<node_record> nodes = {};
  std::vector<line_record> lines = {};  // each once
  std::vector<body_record> bodies = {};
  std::vector<variable_record> variables = {};
  std::vector<std::uint32_t> initializers = {};                   // numbers of nodes
  std::vector<std::pair<std::string, std::uint32_t>> names = {};  // of scopes, in lower case, and how often they were wished for
  std::int64_t seed = 0;

  bool operator==(const graph_record&) const = default;
};

// The nodes of a graph from number `first` on. Refuses a graph in which a construction was refused. Of an op it has what `attrs` names:
// other members are in a twin what they are in a new op.
result<graph_record> record_of(const graph& g, std::size_t first = 0);

// A graph of the nodes that a whole record has, with their names, lines, devices and variables. Refuses, naming node and op, what the
// registry lacks and what is not a graph.
result<graph> graph_of(const graph_record& record, const registry& ops);

// Adds the nodes of a record to a graph that has those before them. On an error the graph is what it was.
result<void> add_record(const graph& g, const graph_record& record, const registry& ops);

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/io/impl/graph_record.hpp>
#endif
