#pragma once

#include <flowgraph/op/element_program.hpp>
#include <flowgraph/passes/detail/finished_group.hpp>
#include <flowgraph/passes/detail/node_lists.hpp>
#include <flowgraph/passes/detail/rewriting.hpp>
#include <flowgraph/passes/finish_results.hpp>
#include <flowgraph/passes/improve.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class result_finishing {
public:
  result_finishing(draft& d, const pass_call& call) : draft_(d), call_(call), facts_(d) {
    for (draft_node& n : d) nodes_.push_back(&n);
    readers_.resize(nodes_.size());
    for (draft_node& n : d) {
      if (is_constant_node(n)) continue;
      for (const draft_edge& e : n.inputs) add_reader(e, &n);
      for (draft_node* c : n.controls) c->is_waited_for = true;  // a pass may have added the edge
    }
    for (const draft_edge& e : d.fetches) add_reader(e, nullptr);
  }

  std::size_t run() {
    std::size_t changed = 0;
    for (draft_node* n : nodes_)
      if (!n->instead.from && begins(*n)) changed += form(*n);
    if (changed == 0) return 0;
    draft_.read_all_instead();
    return changed;
  }

private:
  // The operations of result_finish, in their order.
  enum place : int { at_shift, at_factor, at_offset, at_other, at_bound, at_end };

  struct reading {
    draft_node* only = nullptr;  // the node that reads it, if there is one
    std::uint32_t count = 0;
    bool is_of_first_output = true;
  };
  void add_reader(const draft_edge& e, draft_node* by) {
    reading& r = readers_[e.from->place];
    r.only = by;
    ++r.count;
    r.is_of_first_output = r.is_of_first_output && e.port == 0;
  }

  static bool is_float(const draft_edge& e) {
    const output_info& o = e.from->outputs[e.port];
    return o.type == dtype::float32 && !o.is_reference;
  }
  bool is_computed_here(const draft_node& n) const {
    const op_table& t = *n.table;
    return n.kind == draft_node::form::op && t.kernel.run && t.infer && t.control == control_flow::none && !t.alias &&
           !t.passes_value && is_pure(t) && call_.uses_tables[n.device_place] && std::ranges::all_of(n.inputs, is_float);
  }
  bool begins(const draft_node& n) const {
    if (n.kind != draft_node::form::op || !n.table->kernel.facts.finishes || !is_computed_here(n)) return false;
    const shape& result = n.outputs[0].shape;
    return n.outputs.size() == 1 && n.inputs.size() <= most_inputs && result.has_rank() && result.rank > 0 && result[-1] > 0;
  }

  // Appends the nodes that the kernel of `n` can compute, one after another.
  std::size_t form(draft_node& n) {
    members_.assign(1, &n);
    finishing_.clear();
    next_ = at_shift;
    input_count_ = static_cast<std::uint32_t>(n.inputs.size());
    while (add_next(*members_.back())) {}
    if (members_.size() > 1 && finishing_[0].step != finish_step::none && continues()) keep_first();
    auto packed = pack_weights_of(n);
    if (members_.size() == 1 && !packed) return 0;
    replace(std::move(packed));
    return members_.size();
  }
  // Leaves all nodes but the first for a group of element-wise nodes.
  void keep_first() {
    members_.resize(1);
    finishing_.clear();
  }
  std::shared_ptr<const packed_weights> pack_weights_of(const draft_node& n) const {
    const packing_function pack = n.table->description->packed;
    if (!call_.options.pack_weights || !pack) return nullptr;
    const any_tensor* const weights = constant_or_null(n.inputs[1]);
    return weights ? pack(n.attributes, facts_.shape_of(n.inputs[0]), *weights) : nullptr;
  }
  // The only node that needs the value of `last`, or null.
  draft_node* next_of(const draft_node& last) const {
    const reading& r = readers_[last.place];
    if (last.is_requested || last.is_waited_for || last.is_weighed) return nullptr;
    if (r.count != 1 || !r.is_of_first_output) return nullptr;
    return r.only;
  }
  // Whether element-wise nodes follow that the kernel cannot compute. A group of them takes all nodes but a normalization.
  bool continues() const {
    const draft_node* const n = next_of(*members_.back());
    return n && n->kind == draft_node::form::op && n->table->elementwise;
  }
  bool add_next(const draft_node& last) {
    draft_node* const next = next_of(last);
    if (!next) return false;
    draft_node& n = *next;
    if (n.instead.from || n.device_place != last.device_place || !is_computed_here(n) || !readers_[n.place].is_of_first_output)
      return false;
    const std::size_t own = n.inputs[0].from == &last ? 0 : 1;  // the input that the group has computed
    const auto step = step_of(n, own);
    if (step.place == at_end || step.place < next_) return false;
    finishing_.push_back({step.kind, input_count_, step.place == at_other});
    input_count_ += static_cast<std::uint32_t>(n.inputs.size()) - 1;
    next_ = step.next;
    members_.push_back(&n);
    return true;
  }

  struct found_step {
    finish_step kind = finish_step::none;
    int place = at_end, next = at_end;  // of the operation, and of the first that may follow
  };
  found_step step_of(const draft_node& n, std::size_t own) const {
    const op_description& d = *n.table->description;
    if (d.normalization) {
      const bool fits = own == 0 && d.normalization->applies(n.attributes) && n.inputs.size() == 1 + normalization_operands &&
                        n.outputs.size() <= most_member_outputs &&
                        std::ranges::all_of(n.inputs.subspan(1), [&](const draft_edge& e) { return is_vector(e); });
      return fits ? found_step{finish_step::none, at_shift, at_other} : found_step{};
    }
    if (!d.in_group || n.outputs.size() != 1) return {};
    const finish_step step = d.in_group->step;
    switch (step) {
      case finish_step::none: return {};
      case finish_step::relu:
      case finish_step::relu6: return {step, at_bound, at_end};
      case finish_step::subtract: return own == 0 && is_row(n, 1) ? found_step{step, at_shift, at_factor} : found_step{};
      case finish_step::multiply: return is_row(n, 1 - own) ? found_step{step, at_factor, at_offset} : found_step{};
      case finish_step::add: break;
    }
    if (is_row(n, 1 - own)) return {step, at_offset, at_other};
    const shape result = certain_shape();
    return result.is_known() && facts_.shape_of(n.inputs[1 - own]) == result ? found_step{step, at_other, at_bound}
                                                                             : found_step{};
  }
  // The shape of the result of the first member, as far as each run has it: an operand must not make the sum or product larger.
  shape certain_shape() const { return facts_.shape_of({members_[0], 0}); }
  std::int64_t columns() const { return members_[0]->outputs[0].shape[-1]; }
  // The op itself refuses another vector.
  bool is_vector(const draft_edge& e) const { return fits(e.from->outputs[e.port].shape, {columns()}); }
  // Whether input k of n has one element for each column.
  bool is_row(const draft_node& n, std::size_t k) const {
    const draft_edge& e = n.inputs[k];
    if (n.table->description->computes_rows) return k == 1 && n.table->description->computes_rows(n.attributes) && is_vector(e);
    const any_tensor* const value = constant_or_null(e);
    const shape result = certain_shape();
    if (!value || !result.has_rank() || result[-1] != columns() || value->shape().rank == 0 || value->shape().rank > result.rank)
      return false;
    return value->shape()[-1] == columns() && value->size() == static_cast<std::size_t>(columns());
  }

  void replace(std::shared_ptr<const packed_weights> packed) {
    const auto kept = std::make_shared<finished_group>();
    kept->packed = std::move(packed);
    draft_node& last = *members_.back();
    made_node data{.name = std::string(last.name), .owned = kept};
    data.outputs[0] = last.outputs[0];
    sequence<draft_edge> inputs;
    sequence<draft_node*> waits;
    for (draft_node* m : members_) {
      group_member& result = kept->members.emplace_back();
      result.site = site_of(*m);
      result.type = dtype::float32;
      kept->ops.emplace_back(m->table->name());
      for (const draft_edge& e : m->inputs) {
        if (m != members_[0] && e.from == members_[kept->members.size() - 2]) continue;
        result.operands.push_back(static_cast<std::uint32_t>(inputs.size()));
        inputs.push_back(e);
        data.inputs.push_back(draft_.written(e));
      }
      for (draft_node* c : m->controls) add_once(waits, *c);
    }
    kept->finishing = finishing_;
    kept->make_table();
    draft_node& result = draft_.make(&last, last, kept->table, kept.get(), std::move(data), 1, inputs.size(), waits.size());
    std::ranges::copy(inputs, result.inputs.begin());
    std::ranges::copy(waits, result.controls.begin());
    take_place(result, last);
    for (draft_node* m : members_) {
      m->instead = {&result, 0};
      draft_.remove(*m);
    }
  }

  static constexpr std::size_t most_inputs = 8;

  draft& draft_;
  const pass_call& call_;
  const draft_facts facts_;               // numbers the nodes
  sequence<draft_node*> nodes_;           // by place
  sequence<reading> readers_;             // by place
  sequence<draft_node*> members_;         // of the group that is formed
  sequence<finishing_member> finishing_;  // of that group
  int next_ = at_shift;                   // the first operation that may follow
  std::uint32_t input_count_ = 0;
};

FLOWGRAPH_INLINE std::size_t finish_results(draft& d, const pass_call& call) { return result_finishing(d, call).run(); }

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
