#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/passes/prune_identities.hpp>
#include <flowgraph/passes/waiting_rules.hpp>

#include <algorithm>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Only identities with one input and one output: if there are several, each output exists only after all inputs.
inline bool only_passes(const draft_node& n) {
  return n.is == draft_node::form::op && n.table->passes_value && !n.table->stateful && !n.table->counts_runs &&
         !n.table->kernel.start && n.inputs.size() == 1 && n.outputs.size() == 1;
}

inline bool is_place_free(const draft& d, const draft_node& n) {
  const draft_node& from = *n.inputs[0].from;
  const output_info& read = from.outputs[n.inputs[0].port];
  if (n.is_requested || n.is_waited_for || (n.is_weighed && !n.controls.empty())) return false;
  // If all inputs of a Merge always exist, it takes the first to arrive. This choice must not change.
  if (n.is_weighed && from.is != draft_node::form::op) return false;
  if (read.is_reference || n.outputs[0].is_reference || read.type != n.outputs[0].type) return false;
  return (!d.is_spread || !n.is_colocated) && n.device == from.device;
}

FLOWGRAPH_INLINE bool prune_identity(draft& d, draft_node& n) {
  if (!only_passes(n) || !is_place_free(d, n) || !n.controls.empty()) return false;
  d.take_away(n);
  return true;
}

FLOWGRAPH_INLINE pass_report prune_identities(draft& d, const pass_options& options) {
  pass_report made{"prune_identities", options.prune_identities, 0, 0};
  if (!made.is_on || !d.has_identities) return made;
  sequence<draft_node*> waiting;
  for (auto at = d.begin(); at != d.end();) {
    draft_node& n = *at++;
    if (made.changed > 0) draft::read_instead(n);
    if (prune_identity(d, n)) ++made.changed;
    else if (!n.controls.empty() && only_passes(n) && is_place_free(d, n)) waiting.push_back(&n);
  }
  if (!waiting.empty()) made.changed += d.waiting->prune_identities(d, waiting);
  return made;
}

}  // namespace detail

}
}  // namespace flowgraph
