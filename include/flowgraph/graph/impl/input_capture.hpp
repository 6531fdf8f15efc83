#pragma once
// The inputs of a node that is added to the body of a loop or a branch: which values it may read, how they get into the body, and
// which effects the node has.

#include <flowgraph/graph/body_scope.hpp>
#include <flowgraph/graph/graph.hpp>
#include <flowgraph/graph/graph_state.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

inline error check_reach(const graph_state& g, const node_request& r) {
  if (g.bodies.reads_closed) return {};
  for (const any_out& in : r.inputs)
    if (error why = check_reach(g, *in.source, in.name())) return why;
  for (const std::span<node* const> list : {std::span(r.control_inputs), std::span<node* const>(g.scope.control)})
    for (const node* c : list)
      if (error why = check_reach(g, *c, std::string(c->name))) return why;
  return {};
}

// Captures the inputs of a request that come from outside of the open body. A value that an Enter captures exists in all iterations,
// including the last, in which only the condition runs. So it does not limit a node to the iterations of the body.
class input_capture {
public:
  input_capture(const graph_state& g, captured_inputs& kept) : graph_(g), kept_(kept) {}

  error into(body_scope& body, node_request& r) const {
    bool is_inside = r.table->description->constant != nullptr || r.table->description->placeholder != nullptr;
    for (const any_out& in : r.inputs) {
      auto result = body.capture(in);
      if (!result) return result.error();
      kept_.inputs.push_back(*result);
      const node& from = *result->source;
      is_inside = is_inside || from.is_poison() || !(is_free(from) || from.op->control == control_flow::enter);
    }
    r.inputs = kept_.inputs;
    for (const std::span<node* const> list : {std::span(r.control_inputs), std::span<node* const>(graph_.scope.control)})
      for (node* c : list) {
        auto result = body.capture_control(c);
        if (!result) return result.error();
        kept_.control.push_back(*result);
      }
    if (!is_inside)
      if (node* pivot = body.pivot()) kept_.control.push_back(pivot);
    wait_for_loops();
    r.control_inputs = kept_.control;
    return {};
  }

private:
  // A run orders the accesses to a variable within one loop. An access after a loop in this body waits for the end of the loop. While
  // an inner body is open, into which the node brings the variable, the loops are those of the inner body, which may be a branch that
  // is not taken.
  void wait_for_loops() const {
    const bool takes_variable = std::any_of(kept_.inputs.begin(), kept_.inputs.end(), [](const any_out& in) {
      return in.is_usable() && (in.source->outputs[in.port].is_reference || in.type() == dtype::resource);
    });
    if (!takes_variable) return;
    for (node* end : graph_.bodies.loop_ends)
      if (end->body == graph_.bodies.number) kept_.control.push_back(end);
  }

  const graph_state& graph_;
  captured_inputs& kept_;
};

inline error capture_inputs(const graph_state& g, node_request& r, captured_inputs& kept) {
  if (error why = check_reach(g, r)) return why;
  return g.bodies.open ? input_capture(g, kept).into(*g.bodies.open, r) : error();
}

// Notes the effect of a node of a body, and whether it reads a variable.
inline void note_effects(graph_state& g, node* n) {
  if (n->op->control != control_flow::none) return;
  bool changes = n->op->stateful, reads = false, writes = false;
  for (std::size_t i = 0; i < n->inputs.size(); ++i) {
    const output_info& from = n->inputs[i].from->outputs[n->inputs[i].port];
    writes = writes || n->input_argument(i).writes;
    reads = reads || from.is_reference || from.type == dtype::resource;
  }
  // A node that reads a resource, and changes no variable, runs for its outputs if it has any.
  changes = writes || (changes && !(reads && !n->outputs.empty()));
  if (changes || reads) g.bodies.effects.emplace_back(n, changes);
}

inline constexpr body_rules rules_of_bodies{&capture_inputs, &note_effects};

}  // namespace flowgraph::detail
