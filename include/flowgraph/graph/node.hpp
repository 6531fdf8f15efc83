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

// A node as a kernel that runs it sees it (cpu::at()), and as errors and traces of a run name it. The plan owns it and fills it from its draft, so
// it has what the passes have made of the node. A node that the runtime adds, for example a copy between devices, has a call site too.
struct call_site {
  std::string_view name;
  const op_table* op = nullptr;
  const void* attributes = nullptr;      // the op struct
  std::uint32_t id = 0;                  // of the node of the graph; of an added node, that of the node that it was added for
  std::uint32_t first_port = 0;          // of a feed: which output of its node it replaces
  bool is_one_of_several = false;        // a feed that replaces one of several outputs
  std::span<const output_info> outputs;  // of a feed: the one that it replaces
  std::string_view device;               // as requested
  const std::uint32_t* list_sizes = nullptr;  // as node::list_sizes
  std::source_location where;                 // the line of the program that added the node
  std::span<const edge> written_inputs;       // as the program wrote them: the two functions below read these, for messages
};

// "scope/name" for output 0, "scope/name:1" for others.
std::string name_of(const call_site& at, std::uint32_t port);
// The name that errors and traces use for an input: the output that the program wrote there, whatever the passes read instead; "input 2" where the
// program wrote none.
std::string name_of_input(const call_site& at, std::size_t i);
// Its element type.
dtype type_of_input(const call_site& at, std::size_t i);

namespace detail {

// The value of an attribute, by name; empty when the op has none of that name.
attribute_value attribute_of(const op_table& op, const void* attributes, std::string_view name);
inline attribute_value attribute_of(const node& n, std::string_view name) { return attribute_of(*n.op, n.attributes, name); }
inline attribute_value attribute_of(const call_site& at, std::string_view name) {
  return attribute_of(*at.op, at.attributes, name);
}

// The declared argument that input or output `i` of a node belongs to, of a node with so many. `list_sizes`: as node::list_sizes.
const argument& input_argument(const op_table& op, std::size_t inputs, const std::uint32_t* list_sizes, std::size_t i);
const argument& output_argument(const op_table& op, std::size_t outputs, const std::uint32_t* list_sizes, std::size_t i);

// The error of a node: with its name, its op and the line of the program.
FLOWGRAPH_COLD error failed_at(const error& why, const call_site& at);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/graph/impl/node.hpp>
#endif
