#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/passes/detail/group_body.hpp>
#include <flowgraph/passes/detail/node_lists.hpp>
#include <flowgraph/passes/detail/rewriting.hpp>
#include <flowgraph/passes/finish_results.hpp>
#include <flowgraph/passes/group_elementwise.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class element_grouping {
public:
  element_grouping(draft& d, pass_call& call, std::int64_t least) : draft_(d), call_(call), least_(least) {
    for (draft_node& n : d) {
      n.place = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back(&n);
    }
    uses_.resize(nodes_.size());
    group_of_.resize(nodes_.size(), none);
    for (const draft_node& n : d) {
      if (is_constant_node(n)) continue;
      for (const draft_edge& e : n.inputs) ++uses_[e.from->place];
      for (draft_node* c : n.controls) c->is_waited_for = true;  // a pass may have added the edge
    }
  }

  // A group costs about as much as it saves if this number of elements is not written to memory.
  static constexpr std::int64_t least_saved = 8192;

  // From the last node to the first: a group begins with the node that makes its result. Returns the number of nodes in groups.
  std::size_t run() {
    std::size_t changed = 0;
    for (auto i = static_cast<std::uint32_t>(nodes_.size()); i-- > 0;)
      if (group_of_[i] == none && is_member(*nodes_[i])) changed += form(*nodes_[i]);
    if (call_.is_explained) explain();
    if (changed == 0) return 0;
    draft_.read_all_instead();
    return changed;
  }

private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  // Rows that are reduced have at most this number of elements: a tile on the stack has room for several.
  static constexpr std::int64_t most_reduced = 1024;

  bool is_member(const draft_node& n) const {
    return n.kind == draft_node::form::op && (n.table->elementwise || computes_rows(n)) && !n.table->kernel.scratch &&
           computes_plainly(n);
  }
  // Whether n reduces the last axis of a value that has the axes of the result of the group.
  bool reduces_rows(const draft_node& n, const shape& result) const {
    if (n.kind != draft_node::form::op) return false;
    const auto rule = n.table->description->keeps_reduced_axes;
    if (!rule || !rule(n.attributes) || n.inputs.size() != 2 || !computes_plainly(n)) return false;
    const shape& x = n.inputs[0].from->outputs[n.inputs[0].port].shape;
    if (!x.has_rank() || x.rank == 0 || x.rank != result.rank || x[-1] != result[-1] || x[-1] <= 1 || x[-1] > most_reduced)
      return false;
    const any_tensor* const axes = constant_or_null(n.inputs[1]);
    return axes && axes->size() == 1 && row_reducer::names_last(*axes, x.rank);
  }
  bool computes_plainly(const draft_node& n) const {
    const op_table& t = *n.table;
    if (t.may_fail) return false;  // a group runs later, tile after tile, and not at all if its result is empty
    if (!t.kernel.run || !t.infer || t.control != control_flow::none || t.alias || t.passes_value || !is_pure(t) ||
        t.description->constant || !call_.uses_tables[n.device_place])
      return false;
    if (n.outputs.size() != 1 || n.outputs[0].is_reference || n.outputs[0].is_unsized || !is_plain(n.outputs[0].type))
      return false;
    if (n.inputs.empty() || n.inputs.size() > grouped_nodes::most_operands) return false;
    return std::ranges::none_of(n.inputs,
                                [](const draft_edge& e) { return is_reference(e) || !is_plain(e.from->outputs[e.port].type); });
  }
  static bool computes_rows(const draft_node& n) {
    const auto rule = n.table->description->computes_rows;
    return rule && rule(n.attributes);
  }
  // All that needs the value of n is in the group.
  bool joins(const draft_node& n, std::uint32_t group, std::uint32_t device) const {
    if (!is_member(n) && !reduces_rows(n, members_[0]->outputs[0].shape)) return false;
    if (group_of_[n.place] != none || n.device_place != device) return false;
    if (n.is_requested || n.is_waited_for || n.is_weighed) return false;
    std::uint32_t inside = 0;
    for (const draft_node* m : members_)
      for (const draft_edge& e : m->inputs) inside += e.from == &n ? 1 : 0;
    return group_of_[n.place] != group && inside == uses_[n.place];
  }

  // Adds a note for each element-wise node that is in no group.
  FLOWGRAPH_COLD void explain() {
    for (const draft_node* n : nodes_)
      if (n->kind == draft_node::form::op && (n->table->elementwise || computes_rows(*n)) && !n->instead.from &&
          std::ranges::find(grouped_, n->place) == grouped_.end())
        call_.report.notes.push_back(message{"'", n->name, "' is in no group: ", reason(*n)});
  }
  FLOWGRAPH_COLD std::string reason(const draft_node& n) const {
    if (!call_.uses_tables[n.device_place]) return "the device has its own kernels";
    if (std::ranges::any_of(n.inputs, is_reference)) return "an input is a reference to a variable";
    if (n.table->may_fail) return "the kernel may fail";
    if (!is_member(n)) return "the op or an element type is not supported";
    if (std::ranges::find(small_, n.place) != small_.end()) return "the group would have few elements";
    if (n.is_requested) return "a fetch or a target names it";
    if (n.is_waited_for) return "a control edge begins at it";
    if (n.is_weighed) return "the value decides a branch or a loop";
    sequence<const draft_node*> readers;
    for (const draft_node* r : nodes_)
      if (std::ranges::any_of(r->inputs, [&](const draft_edge& e) { return e.from == &n; })) readers.push_back(r);
    if (readers.size() != 1) return message{readers.size(), " nodes read it"};
    const draft_node& reader = *readers[0];
    const char* const why = reader.device_place != n.device_place ? "is on another device"
                            : !is_member(reader)                  ? "cannot be in a group"
                                                                  : "is in a full group";
    return message{"the reader '", reader.name, "' ", why};
  }

  std::size_t form(draft_node& last) {
    members_.assign(1, &last);
    group_of_[last.place] = last.place;
    for (std::size_t i = 0; i < members_.size(); ++i)
      for (const draft_edge& e : members_[i]->inputs)
        if (members_.size() < grouped_nodes::most_members && joins(*e.from, last.place, last.device_place)) {
          group_of_[e.from->place] = last.place;
          members_.push_back(e.from);
        }
    if (members_.size() == 1) return 0;
    if (saved_elements(last.outputs[0].shape) < least_) {
      for (const draft_node* m : members_) small_.push_back(m->place);
      return 0;
    }
    std::ranges::sort(members_, {}, [](const draft_node* n) { return n->place; });
    find_inputs();
    if (inputs_.size() > grouped_nodes::most_inputs) return 0;
    replace(last);
    return members_.size();
  }
  // The elements of intermediate values, as far as they are known: an unknown extent counts as 32, and if all are unknown, the
  // values are large.
  std::int64_t saved_elements(const shape& result) const {
    if (!result.has_rank()) return least_saved;
    std::int64_t saved = static_cast<std::int64_t>(members_.size()) - 1;
    bool is_known = result.rank == 0;
    for (int i = 0; i < result.rank; ++i) {
      is_known = is_known || result[i] >= 0;
      saved = std::min(saved * (result[i] >= 0 ? result[i] : 32), least_saved);
    }
    return is_known ? saved : least_saved;
  }
  void find_inputs() {
    inputs_.clear();
    for (const draft_node* m : members_)
      for (const draft_edge& e : m->inputs)
        if (group_of_[e.from->place] != members_.back()->place && std::ranges::find(inputs_, e) == inputs_.end())
          inputs_.push_back(e);
  }
  std::uint32_t operand(const draft_edge& e) const {
    if (const auto at = std::ranges::find(inputs_, e); at != inputs_.end())
      return static_cast<std::uint32_t>(at - inputs_.begin());
    return static_cast<std::uint32_t>(inputs_.size()) +
           static_cast<std::uint32_t>(std::ranges::find(members_, e.from) - members_.begin());
  }

  static dtype type_of(const draft_edge& e) { return e.from->outputs[e.port].type; }
  void replace(draft_node& last) {
    const auto kept = std::make_shared<group_table>();
    grouped_nodes& op = kept->op;
    op.input_count = static_cast<std::uint32_t>(inputs_.size());
    sequence<draft_node*> waits;
    for (draft_node* m : members_) {
      group_member& result = op.members.emplace_back();
      result.site = site_of(*m);
      result.type = m->outputs[0].type;
      op.ops.emplace_back(m->table->name());
      op.types.push_back(result.type);
      op.operands.push_back(static_cast<std::int64_t>(m->inputs.size()));
      for (const draft_edge& e : m->inputs) {
        result.operands.push_back(operand(e));
        op.operands.push_back(result.operands.back());
      }
      if (m->table->description->keeps_reduced_axes)
        op.row_reducers.emplace_back(static_cast<std::uint32_t>(op.members.size() - 1), *constant_or_null(m->inputs[1]));
      if (computes_rows(*m)) op.row_users.push_back(static_cast<std::uint32_t>(op.members.size() - 1));
      for (draft_node* c : m->controls) add_once(waits, *c);
    }
    sequence<dtype> types;
    for (const draft_edge& e : inputs_) types.push_back(type_of(e));
    const bool reads_input = std::ranges::any_of(op.members.back().operands, [&](std::uint32_t k) { return k < op.input_count; });
    kept->make(*last.table, reads_input, types);

    made_node data{.name = std::string(last.name), .owned = kept};
    data.outputs[0] = last.outputs[0];
    for (const draft_edge& e : inputs_) data.inputs.push_back(draft_.written(e));
    draft_node& result = draft_.make(&last, last, kept->table, &kept->op, std::move(data), 1, inputs_.size(), waits.size());
    std::ranges::copy(inputs_, result.inputs.begin());
    std::ranges::copy(waits, result.controls.begin());
    take_place(result, last);
    last.instead = {&result, 0};
    for (draft_node* m : members_) {
      if (call_.is_explained) grouped_.push_back(m->place);
      draft_.remove(*m);
    }
  }

  draft& draft_;
  pass_call& call_;
  const std::int64_t least_;          // of saved_elements
  sequence<draft_node*> nodes_;       // by place
  sequence<std::uint32_t> uses_;      // by place: the edges that read it
  sequence<std::uint32_t> group_of_;  // by place: the place of the last member of its group
  sequence<draft_node*> members_;     // of the group that is formed
  sequence<draft_edge> inputs_;       // of that group
  sequence<std::uint32_t> small_;     // the places of the nodes of groups that were too small
  sequence<std::uint32_t> grouped_;   // the places of all members, for explanations
};

FLOWGRAPH_INLINE std::size_t group_elementwise(const further_pass& self, draft& d, pass_call& call) {
  const std::size_t finished = finish_results(d, call);
  return finished + element_grouping(d, call, &self == &group_large ? element_grouping::least_saved : 0).run();
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
