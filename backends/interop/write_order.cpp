#include "write_order.hpp"

#include "shown_memory.hpp"

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

namespace {

// Marks a node and all nodes that it waits for. Returns false if one of them may not be entered.
template <class F> bool walk_up(const node* from, std::vector<bool>& seen, F&& may_enter) {
  std::vector<const node*> open;
  auto enter = [&](const node* n) {
    if (seen[n->id]) return true;
    if (!may_enter(*n)) return false;
    seen[n->id] = true;
    open.push_back(n);
    return true;
  };
  if (!enter(from)) return false;
  while (!open.empty()) {
    const node* n = open.back();
    open.pop_back();
    for (const edge& e : n->inputs)
      if (!enter(e.from)) return false;
    for (const node* c : n->control_inputs)
      if (!enter(c)) return false;
  }
  return true;
}

// Returns the variables that a node writes.
std::vector<edge> written(const node& n) {
  std::vector<edge> result;
  for (std::size_t i = 0; i < n.inputs.size(); ++i)
    if (n.input_argument(i).is_reference && n.input_argument(i).writes) result.push_back(n.inputs[i]);
  return result;
}

bool is_variable(const node& n) { return n.inputs.empty() && n.outputs.size() == 1 && n.outputs[0].is_reference; }

// Returns whether the node needs no feed, may run twice, and always returns a live value.
bool is_free(const node& n) {
  return is_variable(n) ||
         (!n.op->description->placeholder && !n.op->stateful && !n.op->counts_runs && n.op->control == control_flow::none);
}

}  // namespace

std::vector<const node*> reads_before(const graph& g, const node& writer) {
  const std::vector<edge> variables = written(writer);
  if (variables.empty() || writer.op->name() == "Assign") return {};
  std::vector<bool> needed(g.size(), false);
  walk_up(&writer, needed, [](const node&) { return true; });

  const auto is_written = [&](const edge& e) { return std::find(variables.begin(), variables.end(), e) != variables.end(); };
  std::vector<const node*> reads;
  for (std::size_t id = 0; id < g.size(); ++id) {
    const node* n = g.at(id);
    if (n == &writer || needed[id] || !written(*n).empty()) continue;
    // In TensorFlow the result of an earlier read shares the variable's memory.
    const bool reads_it = std::any_of(n->inputs.begin(), n->inputs.end(), [&](const edge& e) {
      if (is_written(e)) return n->id < writer.id;
      const shown_variable shown = shown_by(g, e);
      return shown.read && shown.read->id < writer.id && is_written(shown.variable);
    });
    if (!reads_it) continue;
    std::vector<bool> seen = needed;
    seen[writer.id] = false;
    if (walk_up(n, seen, [&](const node& at) { return &at != &writer && is_free(at); })) reads.push_back(n);
  }
  return reads;
}

}  // namespace flowgraph::protobuf
