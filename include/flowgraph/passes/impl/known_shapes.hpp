#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/passes/detail/node_lists.hpp>
#include <flowgraph/passes/detail/rewriting.hpp>
#include <flowgraph/passes/known_shapes.hpp>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Visits each node of a draft once. A node runs with tensors that have the shapes of its inputs but no elements.
class shape_folding {
public:
  shape_folding(draft& d, pass_call& call)
      : draft_(d), run_(call.run), facts_(d), options_(call.options), folding_(options_, constant_folding::stage::plan) {
    options_.fold_constants = true;
  }

  std::size_t run(std::size_t& too_large) {
    for (draft_node& n : draft_) {
      if (waits_in_vain(n)) stop_waiting(n);
      if (is_offered(n)) fold(n);
      else note_side(n);
    }
    const pass_report result = folding_.report();
    too_large = result.too_large;
    if (result.changed + freed_ > 0) {
      draft_.has_constants = true;
      drop_unread(draft_, facts_);
    }
    return result.changed + freed_;
  }

private:
  // Returns whether the time of the node's run makes no difference: it has no effect, depends only on constants, and the nodes that it
  // waits for always run.
  bool waits_in_vain(const draft_node& n) const {
    if (n.kind != draft_node::form::op || n.controls.empty() || n.table->control != control_flow::none) return false;
    if (!is_pure(*n.table) || n.outputs.empty() || (n.inputs.empty() && !n.table->description->constant)) return false;
    for (const draft_edge& e : n.inputs)
      if (!is_constant_node(*e.from)) return false;
    for (const draft_node* c : n.controls)
      if (!facts_.is_alive(*c)) return false;
    return true;
  }
  void stop_waiting(draft_node& n) {
    draft_.wait_for(n, {});
    if (n.table->description->constant) n.kind = draft_node::form::constant;
    ++freed_;
  }
  bool is_offered(const draft_node& n) const {
    if (n.kind != draft_node::form::op || !n.table->shape_only || n.inputs.empty() || n.is_weighed) return false;
    if ((!facts_.is_alive(n) || !n.controls.empty()) && !may_wait(n)) return false;
    for (const draft_edge& e : n.inputs)
      if (!facts_.shape_of(e).is_known()) return false;
    return true;
  }
  // A control edge leads from a whole node, so an identity that reads one output of a Switch represents that side.
  void note_side(draft_node& n) {
    if (n.kind != draft_node::form::op || !n.table->passes_value || n.inputs.size() != 1 || !is_pure(*n.table)) return;
    if (is_of_switch(n.inputs[0])) sides_.try_emplace(n.inputs[0].from, sides{}).first->second[n.inputs[0].port] = &n;
  }
  static bool is_of_switch(const draft_edge& e) {
    return e.from->kind == draft_node::form::op && e.from->table->control == control_flow::switch_;
  }
  // Returns a node that a node of a loop or a branch can wait for, instead of reading an input; null if there is none.
  draft_node* stand_in_for(const draft_edge& e, const draft_node& reader) const {
    if (!is_of_switch(e)) return e.from;
    const auto at = sides_.find(e.from);
    draft_node* const side = at == sides_.end() ? nullptr : at->second[e.port];
    return side && side->device == reader.device ? side : nullptr;
  }
  bool may_wait(const draft_node& n) const {
    return n.outputs.size() == 1 &&
           std::ranges::all_of(n.inputs, [&](const draft_edge& e) { return stand_in_for(e, n) != nullptr; });
  }
  void become_waiting(draft_node& n, any_tensor value) {
    sequence<draft_node*> after(n.controls.begin(), n.controls.end());
    for (const draft_edge& e : n.inputs)
      if (draft_node* before = stand_in_for(e, n); before->kind == draft_node::form::op) add_once(after, *before);
    draft_.make_waiting_constant(n, std::move(value), after);
    draft_.has_waiting_constants = true;
  }
  void fold(draft_node& n) {
    std::vector<any_tensor> stand_ins, values(n.outputs.size());
    for (const draft_edge& e : n.inputs)
      stand_ins.push_back(any_tensor::over(e.from->outputs[e.port].type, facts_.shape_of(e), {}, nullptr));
    const auto input = [&](std::uint32_t k) { return known_input{&stand_ins[k], false, true, false}; };
    const auto infer = [&](sequence<shape>& shapes) {
      shapes.clear();
      for (const output_info& o : n.outputs) shapes.push_back(o.shape);
      return error();
    };
    const bool folded = folding_.fold({site_of(n), static_cast<std::uint32_t>(n.inputs.size()), input, infer,
                                       [&] { return run_over(run_, n, stand_ins, values); },
                                       [&](std::uint32_t k) -> any_tensor& { return values[k]; }});
    if (!folded) return;
    if (facts_.is_alive(n) && n.controls.empty()) draft_.make_constant(n, std::move(values));
    else become_waiting(n, std::move(values[0]));
  }
  draft& draft_;
  node_runner run_;
  draft_facts facts_;
  pass_options options_;
  constant_folding folding_;
  using sides = std::array<draft_node*, 2>;
  std::unordered_map<const draft_node*, sides> sides_;  // for each Switch, the identities that read its outputs
  std::size_t freed_ = 0;
};

FLOWGRAPH_INLINE std::size_t known_shapes(const further_pass&, draft& d, pass_call& call) {
  return shape_folding(d, call).run(call.report.too_large);
}

}  // namespace flowgraph::detail
