#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/passes/detail/node_lists.hpp>
#include <flowgraph/passes/prune_identities.hpp>

#include <algorithm>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// With one input and one output alone: of several, each output is there when all inputs are.
inline bool only_passes(const draft_node& n) {
  return n.is == draft_node::form::op && n.table->passes_value && !n.table->stateful && !n.table->counts_runs &&
         !n.table->async_kernel && n.inputs.size() == 1 && n.outputs.size() == 1;
}

inline bool is_place_free(const draft& d, const draft_node& n) {
  const draft_node& from = *n.inputs[0].from;
  const output_info& read = from.outputs[n.inputs[0].port];
  if (n.is_requested || n.is_waited_for || (n.is_weighed && !n.controls.empty())) return false;
  // A Merge takes of what is always there the first; which one must not change.
  if (n.is_weighed && from.is != draft_node::form::op) return false;
  if (read.is_reference || n.outputs[0].is_reference || read.type != n.outputs[0].type) return false;
  return (!d.is_spread || n.origin->colocated_with.empty()) && n.device == from.device;
}

inline void take_identity_away(draft& d, draft_node& n) {
  n.inputs[0].from->is_weighed = n.inputs[0].from->is_weighed || n.is_weighed;
  n.instead = n.inputs[0];
  d.remove(n);
}

FLOWGRAPH_INLINE bool prune_identity(draft& d, draft_node& n) {
  if (!only_passes(n) || !is_place_free(d, n) || !n.controls.empty()) return false;
  take_identity_away(d, n);
  return true;
}

// Identities that wait for others go where all that reads them can wait instead, by no more edges than before: of plain ops.
class waiting_identities {
public:
  waiting_identities(draft& d, const sequence<draft_node*>& all) : draft_(d), readers_(all.size()) {
    const auto none = static_cast<std::uint32_t>(all.size());
    for (draft_node& n : d) n.place = none;
    for (std::uint32_t i = 0; i < none; ++i) all[i]->place = i;
    for (draft_node& n : d) {
      if (n.is != draft_node::form::op) continue;  // what a constant was computed from may be gone
      for (const draft_edge& e : n.inputs)
        if (e.from->place != none) readers_.add(e.from->place, n);
    }
  }
  bool prune(draft_node& n) {
    draft::read_instead(n);
    const node_lists::list readers = readers_[n.place];
    if (!may_wait(readers, n.controls.size())) return false;
    for (draft_node* r : readers) make_wait(*r, n.controls);
    take_identity_away(draft_, n);
    return true;
  }

private:
  static bool may_wait(const node_lists::list& readers, std::size_t controls) {
    const std::size_t edges = readers.size();
    return edges * controls <= edges + controls && std::ranges::all_of(readers, [](const draft_node* r) {
             return r->is == draft_node::form::op && r->table->control == control_flow::none;
           });
  }
  void make_wait(draft_node& reader, std::span<draft_node* const> for_these) {
    sequence<draft_node*> all(reader.controls.begin(), reader.controls.end());
    for (draft_node* c : for_these) add_once(all, *c);
    draft_.wait_for(reader, all);
  }

  draft& draft_;
  node_lists readers_;  // by place; a reader stands there once per edge
};

// Behind the others, since it looks at all edges once more.
FLOWGRAPH_SELDOM std::size_t prune_waiting_identities(draft& d, const sequence<draft_node*>& all) {
  waiting_identities waiting(d, all);
  std::size_t changed = 0;
  for (draft_node* n : all) changed += waiting.prune(*n) ? 1u : 0u;
  if (changed > 0)
    for (draft_node& n : d) draft::read_instead(n);
  return changed;
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
  if (!waiting.empty()) made.changed += prune_waiting_identities(d, waiting);
  return made;
}

}  // namespace detail

}
}  // namespace flowgraph
