#pragma once
// A node: an op placed in a graph. Immutable once it is published, but for a loop's back edge.

#include <flowgraph/op/table.hpp>

#include <source_location>
#include <span>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {
struct graph_state;
}

// One use of an output.
struct edge {
  node* from = nullptr;
  std::uint32_t port = 0;
  bool operator==(const edge&) const = default;
};

// What is known of an output before it runs.
struct output_info {
  dtype type = dtype::invalid;
  bool is_reference = false;
  bool is_unsized = false;  // shape known when the kernel has run
  flowgraph::shape shape;
};

// Memory and members belong to the graph.
struct node {
  std::string_view name;
  const op_table* op = nullptr;  // null: the poisoned node of a failed construction
  void* attributes = nullptr;    // the op struct
  std::uint32_t id = 0;          // position in order of creation
  std::uint32_t body = 0;        // of a loop or a branch, that it was added to; 0: none was open
  std::span<edge> inputs;
  std::span<node*> control_inputs;
  std::span<output_info> outputs;
  const std::uint32_t* list_sizes = nullptr;  // of list arguments, inputs then outputs; null when one list takes what is left
  std::string_view device;
  std::span<const std::string_view> colocated_with;
  std::source_location where;
  detail::graph_state* graph = nullptr;

  bool is_poison() const noexcept { return op == nullptr; }
  // The declared argument that input `i` belongs to.
  const argument& input_argument(std::size_t i) const;
  // The same of an output.
  const argument& output_argument(std::size_t i) const;
};

// "scope/name" for output 0, "scope/name:1" for others.
std::string name_of(const node& n, std::uint32_t port);

namespace detail {

// The value of an attribute of a node, by name; empty when it has none of that name.
attribute_value attribute_of(const node& n, std::string_view name);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/graph/impl/node.hpp>
#endif
