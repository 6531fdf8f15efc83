#include "shown_memory.hpp"

#include <flowgraph/graph/graph_state.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

namespace {

std::vector<bool> ancestors(const graph& g, const node& of) {
  std::vector<bool> seen(g.size(), false);
  std::vector<const node*> open{&of};
  const auto enter = [&](const node* n) {
    if (!n || seen[n->id]) return;
    seen[n->id] = true;
    open.push_back(n);
  };
  while (!open.empty()) {
    const node* n = open.back();
    open.pop_back();
    for (const edge& e : n->inputs) enter(e.from);
    for (const node* c : n->control_inputs) enter(c);
  }
  return seen;
}

// Returns the variable node that a reference edge refers to.
const node* variable_of(edge e) {
  while (!e.from->inputs.empty()) {
    const auto next = std::ranges::find_if(e.from->inputs, [&](const edge& in) {
      return in.from && in.from->id < e.from->id && in.from->outputs[in.port].is_reference;
    });
    if (next == e.from->inputs.end()) break;
    e = *next;
  }
  return e.from;
}

// Returns the number of inputs whose memory the outputs of a node share, if the node passes memory on.
std::size_t inputs_handed_on(const node& n) {
  return n.op->passes_value ? std::min(n.inputs.size(), n.outputs.size()) : std::min<std::size_t>(n.inputs.size(), 1);
}

bool writes(const node& n, const node* variable) {
  for (std::size_t k = 0; k < n.inputs.size(); ++k)
    if (n.input_argument(k).is_reference && n.input_argument(k).writes && variable_of(n.inputs[k]) == variable) return true;
  return false;
}

}  // namespace

bool hands_memory_on(const node& n) {
  if (n.outputs.empty() || n.outputs[0].is_reference) return false;
  if (n.op->control == control_flow::none) return n.op->alias || n.op->passes_value;
  if (n.op->control != control_flow::enter) return n.op->control == control_flow::switch_;
  const attribute_value constant = detail::attribute_of(n, "is_constant");
  const bool* const is_constant = constant.get<bool>();
  return is_constant && *is_constant;
}

void mark_views(const graph& g, std::size_t first) {
  detail::graph_state& state = g.state();
  const std::lock_guard lock(state.mutex);
  const auto shows_variable = [&](const node& n, std::size_t k) {
    const edge& e = n.inputs[k];
    return (e.from->outputs[e.port].is_reference && !n.input_argument(k).is_reference) || state.is_view(e.from->id);
  };
  for (std::size_t id = first; id < state.nodes.size(); ++id) {
    const node& n = *state.nodes[id];
    if (!hands_memory_on(n)) continue;
    for (std::size_t k = 0; k < inputs_handed_on(n); ++k)
      if (shows_variable(n, k)) {
        state.mark_view(n.id);
        break;
      }
  }
}

shown_variable shown_by(const graph& g, const edge& input) {
  edge e = input;
  bool is_own = false;  // a node on the path is not marked as a view
  while (e.from && !e.from->outputs[e.port].is_reference && hands_memory_on(*e.from)) {
    const node& n = *e.from;
    const std::size_t k = n.op->passes_value ? e.port : 0;
    if (k >= inputs_handed_on(n)) return {};
    is_own = is_own || !g.state().is_view(n.id);
    e = n.inputs[k];
    if (!e.from) return {};
    if (e.from->outputs[e.port].is_reference && !n.input_argument(k).is_reference) return {e, is_own ? &n : nullptr};
  }
  return {};
}

error check_reads(const graph& g, std::span<const node* const> nodes) {
  for (const node* n : nodes)
    for (const edge& input : n->inputs) {
      const auto [variable, read] = shown_by(g, input);
      if (!read || n->op->control != control_flow::none) continue;
      const node* const of = variable_of(variable);
      const std::vector<bool> before = ancestors(g, *n), before_read = ancestors(g, *read);
      for (std::size_t id = 0; id < before.size(); ++id) {
        if (!before[id] || before_read[id] || !writes(*g.at(id), of)) continue;
        const node& write = *g.at(id);
        return error(
                   error_code::unimplemented,
                   message{
                       "this node waits for '", write.name, "' (", write.op->name(), "), which writes to the variable '",
                       of->name, "', and reads the earlier value of it from '", read->name, "' (", read->op->name(),
                       "). In TensorFlow that node shares the variable's memory, so that this node would read the written value. "
                       "Read the variable itself after the write"})
            .at(n->name, n->op->name(), n->where);
      }
    }
  return {};
}

}  // namespace flowgraph::protobuf
