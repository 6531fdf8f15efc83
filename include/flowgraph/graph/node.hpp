#pragma once
// A node: an op in a graph. It does not change after it has been added, except for the back edge of a loop.

#include <flowgraph/op/table.hpp>

#include <source_location>
#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {
struct graph_state;
}

// The source of an edge: a node, and the index of one of its outputs.
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

// A node of a graph. The graph owns the memory of the node and of its members.
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

// A description of a node for the kernel that runs it (cpu::at()), and for errors and traces of a run. The plan owns the call site
// and fills it from the draft of the plan, so it describes the node after the passes have changed it. A node that the runtime adds,
// for example a copy between devices, also has a call site.
struct call_site {
  std::string_view name;
  const op_table* op = nullptr;
  const void* attributes = nullptr;           // the op struct
  std::uint32_t id = 0;                       // id of the graph node; for an added node, id of the node that it serves
  std::uint32_t first_port = 0;               // for a feed: the index of the output that it replaces
  bool is_one_of_several = false;             // for a feed: whether the replaced node has several outputs
  std::span<const output_info> outputs;       // the outputs of the node; for a feed, the output that it replaces
  std::string_view device;                    // the requested device
  const std::uint32_t* list_sizes = nullptr;  // like node::list_sizes
  std::source_location where;                 // the line of the program that added the node
  std::span<const edge> written_inputs;       // the inputs in the program, which the two functions below use for messages
};

// Returns the call site of a node as the program added it, without changes by passes.
inline call_site site_of(const node& n) {
  return {.name = n.name,
          .op = n.op,
          .attributes = n.attributes,
          .id = n.id,
          .outputs = n.outputs,
          .device = n.device,
          .list_sizes = n.list_sizes,
          .where = n.where,
          .written_inputs = n.inputs};
}

// Returns "scope/name" for output 0 and "scope/name:1" for output 1.
std::string name_of(const call_site& at, std::uint32_t port);
// Returns the name that errors and traces use for an input: the name of the output that the program passed, even if passes have
// replaced it, or "input 2" if the program passed no output.
std::string name_of_input(const call_site& at, std::size_t i);
// Returns the element type of an input.
dtype type_of_input(const call_site& at, std::size_t i);

namespace detail {

// Returns the value of the attribute with this name, or an empty value if the op does not have it.
attribute_value attribute_of(const op_table& op, const void* attributes, std::string_view name);
inline attribute_value attribute_of(const node& n, std::string_view name) { return attribute_of(*n.op, n.attributes, name); }
inline attribute_value attribute_of(const call_site& at, std::string_view name) {
  return attribute_of(*at.op, at.attributes, name);
}

// Returns the declared argument to which input or output `i` of a node belongs. `inputs` and `outputs` are the numbers of inputs
// and outputs of the node, and `list_sizes` is node::list_sizes.
const argument& input_argument(const op_table& op, std::size_t inputs, const std::uint32_t* list_sizes, std::size_t i);
const argument& output_argument(const op_table& op, std::size_t outputs, const std::uint32_t* list_sizes, std::size_t i);

// Adds the name of the node, its op and the line of the program to an error.
FLOWGRAPH_COLD error failed_at(const error& why, const call_site& at);
// Returns the error of a shape rule, with the inputs that it has refused.
FLOWGRAPH_COLD error refused_shapes(const call_site& at, const shape_context& context, std::span<const shape* const> found);

}  // namespace detail

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/graph/impl/node.hpp>
#endif
