#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/passes/prune_identities.hpp>
#include <flowgraph/passes/waiting_rules.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

inline bool passes_all(const draft_node& n) {
  return n.kind == draft_node::form::op && n.table->passes_value && !n.table->stateful && !n.table->counts_runs &&
         !n.table->kernel.start && n.inputs.size() == n.outputs.size();
}
// Only identities with one input and one output: if there are several, each output exists only after all inputs.
inline bool only_passes(const draft_node& n) { return passes_all(n) && n.inputs.size() == 1; }

inline bool is_place_free(const draft& d, const draft_node& n) {
  const draft_node& from = *n.inputs[0].from;
  const output_info& read = from.outputs[n.inputs[0].port];
  if (n.is_requested || n.is_waited_for || (n.is_weighed && !n.controls.empty())) return false;
  // If all inputs of a Merge always exist, it takes the first to arrive. This choice must not change.
  if (n.is_weighed && from.kind != draft_node::form::op) return false;
  if (read.is_reference || n.outputs[0].is_reference || read.type != n.outputs[0].type) return false;
  return (!d.is_spread || !n.is_colocated) && n.device == from.device;
}

FLOWGRAPH_INLINE bool prune_identity(draft& d, draft_node& n) {
  if (!only_passes(n) || !is_place_free(d, n) || !n.controls.empty()) return false;
  d.take_away(n);
  return true;
}

// Returns whether `n` always runs before `other`: a path of at most `steps` edges leads from `n` to `other`.
inline bool comes_before(const draft_node& n, const draft_node& other, int steps) {
  if (&n == &other) return true;
  if (steps == 0 || other.kind != draft_node::form::op || other.table->control != control_flow::none) return false;
  return std::ranges::any_of(other.inputs, [&](const draft_edge& e) { return comes_before(n, *e.from, steps - 1); });
}

// Removes identities with several inputs of which only the first output is read. Keras writes such nodes around an activation
// with a custom gradient. Each other input must exist whenever the first input exists.
class first_values {
public:
  explicit first_values(draft& d) : draft_(d) {}

  bool prune(draft_node& n) {
    if (n.inputs.size() < 2 || !passes_all(n) || n.is_weighed || !n.controls.empty() || !is_place_free(draft_, n)) return false;
    if (!exist_with_first(n) || others_are_read(n)) return false;
    draft_.take_away(n);
    return true;
  }

private:
  static constexpr int most_steps = 4;

  static bool exist_with_first(const draft_node& n) {
    for (std::size_t k = 1; k < n.inputs.size(); ++k) {
      const draft_node& from = *n.inputs[k].from;
      if (from.outputs[n.inputs[k].port].is_reference) return false;
      if (from.kind == draft_node::form::op && !comes_before(from, *n.inputs[0].from, most_steps)) return false;
    }
    return true;
  }
  bool others_are_read(const draft_node& n) {
    if (!is_known_) {
      is_known_ = true;
      for (const draft_node& reader : draft_)
        for (const draft_edge& e : reader.inputs)
          if (e.port > 0 && passes_all(*e.from)) read_.push_back(e.from);
    }
    return std::ranges::find(read_, &n) != read_.end();
  }

  draft& draft_;
  bool is_known_ = false;
  sequence<const draft_node*> read_;  // identities of which an output after the first is read
};

FLOWGRAPH_INLINE pass_report prune_identities(draft& d, const pass_options& options) {
  pass_report result{"prune_identities", options.prune_identities, 0, 0};
  if (!result.is_on || !d.has_identities) return result;
  sequence<draft_node*> waiting;
  first_values first(d);
  for (auto at = d.begin(); at != d.end();) {
    draft_node& n = *at++;
    if (result.changed > 0) draft::read_instead(n);
    if (prune_identity(d, n) || first.prune(n)) ++result.changed;
    else if (!n.controls.empty() && only_passes(n) && is_place_free(d, n)) waiting.push_back(&n);
  }
  if (!waiting.empty()) result.changed += d.waiting->prune_identities(d, waiting);
  return result;
}

}  // namespace flowgraph::detail
