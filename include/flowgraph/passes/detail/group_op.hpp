#pragma once
// The parts that all groups share: the description of the op, the shape rules of members, and the node that replaces the members.

#include <flowgraph/op/make_table.hpp>
#include <flowgraph/passes/draft.hpp>

#include <span>
#include <string>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The op of one group: its table, which the draft keeps. G contains the attributes of the op, `members`, and `infer_all`, which
// applies the shape rules of the members and returns the error of the first that fails.
struct group_op {
  std::string name;  // "_Group(Mul, Add)", or "_Packed(Conv2D)"
  argument input, output;
  op_description description;
  op_table table;

  // `ops`: the op of each member; `type`: of the result.
  template <class G> void describe(const char* kind, const std::vector<std::string>& ops, dtype type) {
    name = kind;
    name += '(';
    for (const std::string& each : ops) name += (&each == ops.data() ? "" : ", ") + each;
    name += ')';
    input.kind = argument::form::mixed_list;
    output.fixed = type;
    output.is_output = true;
    description = describe_made_op(name, false);
    description.inputs = {&input, 1};
    description.outputs = {&output, 1};
    description.attributes = attribute_table<G>::all;
    description.members = [](const void* g) {
      const auto& all = static_cast<const G*>(g)->members;
      return std::span<const group_member>(all.data(), all.size());
    };
    description.refusal = [](const void* g, const shape_inputs& in) {
      shape result;
      return G::infer_all(*static_cast<const G*>(g), in, result);
    };
    table = {};
    table.description = &description;
    table.not_differentiable = true;
    table.infer = [](const void* g, shape_context& context, const shape_inputs& in, std::span<shape> out) {
      if (const error why = G::infer_all(*static_cast<const G*>(g), in, out[0])) context.fail(std::string(why.message()));
    };
  }
};

// Applies the shape rule of a member, with the values that `known` has. If the rule fails, returns an error with the node.
inline error infer_member(const call_site& m, shape_context& known, const shape_inputs& in, std::span<shape> result) {
  known.set_output_count(result.size());
  m.op->infer(m.attributes, known, in, result);
  return known.failed() ? failed_at(refused_shapes(m, known, in.shapes), m) : error();
}

// Gives the node of a group the device of the last member, and all that needs the value of that member.
inline void take_place(draft_node& new_node, const draft_node& last) {
  new_node.device = last.device;
  new_node.device_place = last.device_place;
  new_node.is_requested = last.is_requested;
  new_node.is_waited_for = last.is_waited_for;
  new_node.is_weighed = last.is_weighed;
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
