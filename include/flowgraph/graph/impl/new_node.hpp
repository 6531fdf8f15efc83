#pragma once
// The creation of a node: the checks of a request, the shapes of its outputs, and its memory.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/shape_limit.hpp>
#include <flowgraph/graph/graph.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/graph/table.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_COLD inline std::string describe_inputs(std::span<const any_out> inputs) {
  std::string text;
  for (const any_out& in : inputs) {
    if (!text.empty()) text += ", ";
    text += message{in.name(), " ", name_of(in.type()), in.shape()};
  }
  return text.empty() ? "no inputs" : text;
}

// Returns the element type of a declared argument in this table.
inline dtype type_in(const op_table& table, const argument& a) {
  return a.type_parameter >= 0 ? table.types()[static_cast<std::size_t>(a.type_parameter)].type : a.fixed;
}

// Checks the number, types and references of the inputs.
inline error check_inputs(const node_request& r) {
  const op_table& table = *r.table;
  std::size_t singles = 0, lists = 0;
  for (const argument& a : table.inputs()) (a.kind == argument::form::single ? singles : lists) += 1;
  const bool arity = lists == 0 ? r.inputs.size() == singles : r.inputs.size() >= singles;
  if (!arity)
    return invalid_argument({table.name(), " takes ", singles, (lists ? " or more" : ""), " inputs, found ", r.inputs.size()});
  if (lists != r.list_sizes.size() && (lists > 1 || !r.list_sizes.empty()))
    return invalid_argument({table.name(), " has ", lists, " list inputs, found ", r.list_sizes.size(), " list sizes"});
  std::size_t at = 0, list = 0;
  for (const argument& a : table.inputs()) {
    std::size_t n = 1;
    if (a.kind != argument::form::single) n = r.list_sizes.empty() ? r.inputs.size() - singles : r.list_sizes[list++];
    if (n > r.inputs.size() - at) return invalid_argument("list sizes exceed the number of inputs");
    for (; n > 0; --n, ++at) {
      const any_out& in = r.inputs[at];
      const dtype expected = type_in(table, a);
      if (a.kind != argument::form::mixed_list && in.type() != expected)
        return invalid_argument({"input ", at, " of ", to_string(table), " must be ", name_of(expected), ", found ", in.name(),
                                 " of type ", name_of(in.type())});
      if (a.is_reference && !in.source->outputs[in.port].is_reference)
        return invalid_argument({"input ", at, " of ", table.name(), " must be a variable, found ", in.name()});
    }
  }
  if (at != r.inputs.size()) return invalid_argument("list sizes are less than the number of inputs");
  return {};
}

// Checks that handles belong to this graph.
inline error check_handles(const graph_state& g, const node_request& r) {
  for (const any_out& in : r.inputs) {
    if (!in.source) return invalid_argument("an input is an empty handle");
    if (in.source->graph != &g) return invalid_argument({"input ", in.name(), " belongs to another graph"});
    if (!in.source->is_poison() && in.port >= in.source->outputs.size())
      return invalid_argument(
          {"node '", in.source->name, "' has ", in.source->outputs.size(), " outputs; there is no '", in.name(), "'"});
  }
  for (const node* c : r.control_inputs)
    if (!c || c->graph != &g) return invalid_argument("a control input is not a node of this graph");
  return {};
}

// Returns the sizes of the list outputs, and the types of the outputs of lists with mixed types, list after list.
struct output_lists {
  explicit output_lists(const node_request& r) {
    const op_description& of_op = *r.table->description;
    if (of_op.output_types) mixed_types = of_op.output_types(r.op);
    if (of_op.output_sizes) {
      const std::vector<std::uint32_t> named = of_op.output_sizes(r.op);
      sizes.assign(named.begin(), named.end());
      return;
    }
    const std::size_t same = of_op.output_count ? of_op.output_count(r.op) : 0;
    for (const argument& a : r.table->outputs())
      if (a.kind != argument::form::single)
        sizes.push_back(static_cast<std::uint32_t>(a.kind == argument::form::list ? same : mixed_types.size()));
  }
  sequence<std::uint32_t> sizes;
  std::vector<dtype> mixed_types;
};

// Returns the sizes of all list arguments, inputs before outputs; empty if the number of inputs and outputs determines them.
inline sequence<std::uint32_t> all_list_sizes(const node_request& r, const output_lists& lists) {
  std::size_t singles = 0, input_lists = 0;
  for (const argument& a : r.table->inputs()) (a.kind == argument::form::single ? singles : input_lists) += 1;
  sequence<std::uint32_t> sizes(r.list_sizes.begin(), r.list_sizes.end());
  if (sizes.empty() && input_lists == 1) sizes.push_back(static_cast<std::uint32_t>(r.inputs.size() - singles));
  sizes.insert(sizes.end(), lists.sizes.begin(), lists.sizes.end());
  if (input_lists <= 1 && lists.sizes.size() <= 1 && r.list_sizes.empty()) sizes.clear();
  return sizes;
}

// The number of outputs of the node, and their shapes. Up to four shapes need no memory.
class planned_outputs {
public:
  explicit planned_outputs(const node_request& r) : lists(r) {
    std::size_t count = 0, list = 0;
    for (const argument& a : r.table->outputs()) count += a.kind == argument::form::single ? 1 : lists.sizes[list++];
    if (count > 4) many_.assign(count, shape::unknown());
    shapes = count > 4 ? std::span<shape>(many_) : std::span<shape>(few_, count);
  }
  planned_outputs(const planned_outputs&) = delete;
  planned_outputs& operator=(const planned_outputs&) = delete;

  const output_lists lists;
  std::span<shape> shapes;

private:
  shape few_[4] = {shape::unknown(), shape::unknown(), shape::unknown(), shape::unknown()};
  sequence<shape> many_;
};

// Calls the op's shape rule.
inline error apply_shape_rule(const node_request& r, std::span<shape> shapes) {
  constexpr std::size_t few = 8;
  const shape* pointers_few[few];
  const any_tensor* constants_few[few];
  sequence<const shape*> pointers_many;
  sequence<const any_tensor*> constants_many;
  const std::size_t n = r.inputs.size();
  const shape** pointers = pointers_few;
  const any_tensor** constants = constants_few;
  if (n > few) {
    pointers_many.resize(n);
    constants_many.resize(n);
    pointers = pointers_many.data();
    constants = constants_many.data();
  }
  for (std::size_t i = 0; i < n; ++i) {
    const node& from = *r.inputs[i].source;
    pointers[i] = &from.outputs[r.inputs[i].port].shape;
    constants[i] = from.op->description->constant ? from.op->description->constant(from.attributes) : nullptr;
  }
  shape_context context(constants, n);
  context.set_output_count(shapes.size());
  r.table->infer(r.op, context,
                 {std::span<const shape* const>(pointers, n), r.list_sizes.empty() ? nullptr : r.list_sizes.data()}, shapes);
  if (!context.failed()) return {};
  return invalid_argument({context.message(), "; found ", describe_inputs(r.inputs)});
}

// Kernels read the tensor of a constant unchecked. So it must have the type and the shape of the node's output.
inline error check_constant(const node_request& r, const shape& inferred) {
  const any_tensor* value = r.table->description->constant ? r.table->description->constant(r.op) : nullptr;
  if (!value) return {};
  const argument& output = r.table->outputs().front();
  const dtype type = type_in(*r.table, output);
  if (value->type() == type && fits(value->shape(), inferred)) return {};
  std::string_view attribute = "value";
  for (const attribute_info& a : r.table->attributes())
    if (a.kind == attribute_kind::tensor) attribute = a.name;
  std::string_view said_by;
  if (output.type_parameter >= 0) said_by = r.table->types()[static_cast<std::size_t>(output.type_parameter)].attribute;
  return invalid_argument({"attribute '", attribute, "' must be a tensor of ", name_of(type), inferred,
                           said_by.empty() ? "" : " as attribute '", said_by, said_by.empty() ? "" : "' says", "; found ",
                           name_of(value->type()), value->shape()});
}

// Finds the shapes of the outputs; refuses inputs of unfit shapes, outputs that are too large, and constants of other shapes.
inline error infer_outputs(const node_request& r, std::span<shape> shapes) {
  if (r.table->infer)
    if (error why = apply_shape_rule(r, shapes)) return why;
  for (const shape& result : shapes)
    if (is_too_large(result))
      return invalid_argument({"a tensor of shape ", result, " is too large; found ", describe_inputs(r.inputs)});
  return shapes.empty() ? error() : check_constant(r, shapes[0]);
}

inline void set_outputs(graph_state& g, node& n, const node_request& r, const planned_outputs& outputs) {
  n.outputs = g.memory.array<output_info>(outputs.shapes.size());
  std::size_t at = 0, list = 0, mixed = 0;
  for (const argument& a : r.table->outputs()) {
    const std::size_t count = a.kind == argument::form::single ? 1 : outputs.lists.sizes[list++];
    for (std::size_t i = 0; i < count; ++i, ++at) {
      const dtype type = a.kind == argument::form::mixed_list ? outputs.lists.mixed_types[mixed++] : type_in(*r.table, a);
      n.outputs[at] = {type, a.is_reference, a.is_unsized, outputs.shapes[at]};
    }
  }
}

// Makes a node without name and line, which is not yet in the list of the graph's nodes. The graph is locked.
inline node* make_node(graph_state& g, const node_request& r, const planned_outputs& outputs) {
  node* n = g.memory.array<node>(1).data();
  n->op = r.table;
  n->attributes = g.memory.allocate(r.table->description->size, r.table->description->alignment);
  r.table->copy(r.op, n->attributes);
  n->inputs = g.memory.array<edge>(r.inputs.size());
  for (std::size_t i = 0; i < r.inputs.size(); ++i) n->inputs[i] = {r.inputs[i].source, r.inputs[i].port};
  const std::span<node* const> open_control = g.bodies.open ? std::span<node* const>() : g.scope.control;
  n->control_inputs = g.memory.array<node*>(r.control_inputs.size() + open_control.size());
  std::copy(open_control.begin(), open_control.end(),
            std::copy(r.control_inputs.begin(), r.control_inputs.end(), n->control_inputs.begin()));
  set_outputs(g, *n, r, outputs);
  if (const sequence<std::uint32_t> list_sizes = all_list_sizes(r, outputs.lists); !list_sizes.empty()) {
    auto sizes = g.memory.array<std::uint32_t>(list_sizes.size());
    std::copy(list_sizes.begin(), list_sizes.end(), sizes.begin());
    n->list_sizes = sizes.data();
  }
  n->device = g.scope.device;
  if (!g.scope.colocation.empty()) {
    auto with = g.memory.array<std::string_view>(g.scope.colocation.size());
    std::copy(g.scope.colocation.begin(), g.scope.colocation.end(), with.begin());
    n->colocated_with = with;
  }
  n->graph = &g;
  n->id = static_cast<std::uint32_t>(g.nodes.size());
  n->body = r.table->description->placeholder ? 0 : g.bodies.number;
  return n;
}

}  // namespace flowgraph::detail
