#pragma once
// A node: an op in a graph. It does not change after it was added, except for the back edge of a loop.

#include <flowgraph/op/table.hpp>

#include <source_location>
#include <span>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {
struct graph_state;
}

// An edge as its reader sees it: a node, and the number of its output.
struct edge {
  node* from = nullptr;
  std::uint32_t port = 0;
  bool operator==(const edge&) const = default;
};

// The properties of an output that are known before a run.
struct output_info {
  dtype type = dtype::invalid;
  bool is_reference = false;
  bool is_unsized = false;  // true: the shape is known only after the kernel has run
  flowgraph::shape shape;
};

// The graph owns the memory of the node and of its members.
struct node {
  std::string_view name;
  const op_table* op = nullptr;  // null: the poisoned node that replaces a node that could not be added
  void* attributes = nullptr;    // the op struct
  std::uint32_t id = 0;          // position in the order of creation
  std::uint32_t body = 0;        // number of the loop body or branch that contains the node; 0: none
  std::span<edge> inputs;
  std::span<node*> control_inputs;
  std::span<output_info> outputs;
  // Lengths of the list arguments, inputs before outputs; null if there is at most one list.
  const std::uint32_t* list_sizes = nullptr;
  std::string_view device;
  std::span<const std::string_view> colocated_with;
  std::source_location where;
  detail::graph_state* graph = nullptr;

  bool is_poison() const noexcept { return op == nullptr; }
  // Returns the declared argument that input `i` belongs to.
  const argument& input_argument(std::size_t i) const;
  // Returns the declared argument that output `i` belongs to.
  const argument& output_argument(std::size_t i) const;
};

// Returns "scope/name" for output 0 and "scope/name:1" for output 1.
std::string name_of(const node& n, std::uint32_t port);

namespace detail {

// Returns the value of the attribute with this name, or an empty value if the node does not have it.
attribute_value attribute_of(const node& n, std::string_view name);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/graph/impl/node.hpp>
#endif
