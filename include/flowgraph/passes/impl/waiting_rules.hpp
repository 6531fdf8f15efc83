#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/passes/detail/computed_node.hpp>
#include <flowgraph/passes/detail/node_lists.hpp>
#include <flowgraph/passes/waiting_rules.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// A node with a known value and control inputs: in a loop it has the value once per iteration, and on a branch it may be dead. Examples
// are a constant with control inputs, and results that were computed from such constants.
struct waiting_constant {
  op_description description;
  op_table table;
  argument declared;
  output_info output;
  any_tensor value;
};

FLOWGRAPH_SELDOM void draft::make_waiting_constant(draft_node& n, any_tensor value, std::span<draft_node* const> after) {
  const auto kept = std::make_shared<waiting_constant>();
  keep({}).owned = kept;
  waiting_constant& result = *kept;
  result.value = std::move(value);
  result.declared.fixed = result.output.type = result.value.type();
  result.declared.is_output = result.declared.is_unsized = result.output.is_unsized = true;
  result.output.shape = result.value.shape();
  result.description = describe_made_op(n.table->name(), false);  // two of them are never merged
  result.description.outputs = {&result.declared, 1};
  result.description.constant = [](const void* op) { return static_cast<const any_tensor*>(op); };
  op_table& t = result.table;
  t.description = &result.description;
  t.not_differentiable = true;
  t.kernel.run = [](const void* op, kernel_call& call) { cpu(call).set_output(0, *static_cast<const any_tensor*>(op)); };

  n.written_inputs = {};
  n.written_op = n.table = &t;
  n.attributes = &result.value;
  n.list_sizes = nullptr;
  n.inputs = {};
  n.outputs = {&result.output, 1};
  wait_for(n, after);
  for (draft_node* before : after) before->is_waited_for = true;
}

// The result of constants that wait has the control inputs of all of them. In a loop, or if a Merge may choose it, it needs at least
// one control input.
inline void fold_waiting_node(constant_folding& folding, draft& d, draft_node& n, node_runner run) {
  sequence<draft_node*> after;
  const auto add = [&](std::span<draft_node* const> all) {
    for (draft_node* c : all)
      if (c->kind != draft_node::form::constant) add_once(after, *c);
  };
  add(n.controls);
  bool must_wait = n.is_weighed;
  sequence<draft_edge> read(n.inputs.begin(), n.inputs.end());
  for (draft_edge& e : read) {
    if (is_entered_constant(e)) {
      e = e.from->inputs[0];
      must_wait = true;
    }
    if (e.from->kind == draft_node::form::op && e.from->table->description->constant) add(e.from->controls);
  }
  if (must_wait && after.empty()) return;
  draft_node over = n;
  over.inputs = read;
  std::vector<any_tensor> values(1);
  if (!compute_node(folding, over, run, values)) return;
  if (after.empty()) return d.make_constant(n, std::move(values));
  d.make_waiting_constant(n, std::move(values[0]), after);
}

// Removes identities with control inputs if all readers can wait instead, with no more edges than before. Only for plain ops.
class waiting_identities {
public:
  waiting_identities(draft& d, const sequence<draft_node*>& all) : draft_(d), readers_(all.size()) {
    const auto none = static_cast<std::uint32_t>(all.size());
    for (draft_node& n : d) n.place = none;
    for (std::uint32_t i = 0; i < none; ++i) all[i]->place = i;
    for (draft_node& n : d) {
      if (n.kind != draft_node::form::op) continue;  // the inputs of a constant may have been removed
      for (const draft_edge& e : n.inputs)
        if (e.from->place != none) readers_.add(e.from->place, n);
    }
  }
  bool prune(draft_node& n) {
    draft::read_instead(n);
    const node_lists::list readers = readers_[n.place];
    if (!may_wait(readers, n.controls.size())) return false;
    for (draft_node* r : readers) make_wait(*r, n.controls);
    draft_.take_away(n);
    return true;
  }

private:
  static bool may_wait(const node_lists::list& readers, std::size_t controls) {
    const std::size_t edges = readers.size();
    return edges * controls <= edges + controls && std::ranges::all_of(readers, [](const draft_node* r) {
             return r->kind == draft_node::form::op && r->table->control == control_flow::none;
           });
  }
  void make_wait(draft_node& reader, std::span<draft_node* const> for_these) {
    sequence<draft_node*> all(reader.controls.begin(), reader.controls.end());
    for (draft_node* c : for_these) add_once(all, *c);
    draft_.wait_for(reader, all);
  }

  draft& draft_;
  node_lists readers_;  // by place; contains a reader once per edge
};

// Looks at all edges of the draft.
FLOWGRAPH_SELDOM std::size_t prune_waiting_identities(draft& d, const sequence<draft_node*>& all) {
  waiting_identities waiting(d, all);
  std::size_t changed = 0;
  for (draft_node* n : all) changed += waiting.prune(*n) ? 1u : 0u;
  if (changed > 0)
    for (draft_node& n : d) draft::read_instead(n);
  return changed;
}

FLOWGRAPH_INLINE const waiting_rules& rules_of_waiting_nodes() {
  static constexpr waiting_rules rules{
      &prune_waiting_identities,
      [](constant_folding& folding, draft& d, node_runner run) {
        folding.fold_waiting(d, [&](draft_node& n) { fold_waiting_node(folding, d, n, run); });
      },
  };
  return rules;
}

}  // namespace flowgraph::detail
