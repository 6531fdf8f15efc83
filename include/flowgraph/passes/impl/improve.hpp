#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/passes/detail/computed_node.hpp>
#include <flowgraph/passes/improve.hpp>
#include <flowgraph/passes/merge_common.hpp>
#include <flowgraph/passes/prune_identities.hpp>
#include <flowgraph/passes/waiting_rules.hpp>

#include <algorithm>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_INLINE bool fold_node(constant_folding& folding, draft& d, draft_node& n, node_runner run) {
  std::vector<any_tensor> values(n.outputs.size());
  if (!compute_node(folding, n, run, values)) return false;
  d.make_constant(n, std::move(values));
  return true;
}

// Constants whose readers have gone, also those that wait. Others are there before all nodes: who waits for one need not.
inline void drop_unread_constants(draft& d) {
  const auto is_constant = [](const draft_node* n) { return n->is == draft_node::form::constant; };
  sequence<draft_node*> constants;
  for (draft_node& n : d) {
    if (is_constant(&n)) n.is_waited_for = false;
    else if (n.is != draft_node::form::op || !n.table->description->constant) continue;
    n.is_read = false;
    constants.push_back(&n);
  }
  for (draft_node& n : d) {
    if (is_constant(&n)) continue;
    for (const draft_edge& e : n.inputs) e.from->is_read = true;
    const auto end = std::remove_if(n.controls.begin(), n.controls.end(), is_constant);
    n.controls = n.controls.first(static_cast<std::size_t>(end - n.controls.begin()));
  }
  for (draft_node* n : constants)
    if (!n->is_read && !n->is_requested && !n->is_waited_for && !n->is_weighed) d.remove(*n);
}

// What a further pass finds after the others may be more: so many times they are made at most.
inline constexpr int most_rounds = 4;

inline void make_further(draft& d, const pass_options& options, node_runner run, std::vector<pass_report>& made) {
  for (std::size_t i = 0; i < options.further.size(); ++i) {
    if (!options.further[i].run) continue;
    pass_call call{options, run};
    pass_report& report = made[3 + i];
    report.changed += options.further[i].run(d, call);
    report.too_large = call.too_large;
  }
}

FLOWGRAPH_INLINE std::vector<pass_report> improve(draft& d, const pass_options& options, node_runner run) {
  std::vector<pass_report> made(3 + options.further.size());
  for (std::size_t i = 0; i < options.further.size(); ++i) made[3 + i].name = options.further[i].name;
  const auto add = [](pass_report& sum, pass_report&& more) {
    more.changed += sum.changed;
    sum = std::move(more);
  };
  const auto changed = [&] {
    std::size_t all = 0;
    for (const pass_report& p : made) all += p.changed;
    return all;
  };
  std::size_t before = 0;
  for (int round = 0; round < most_rounds; ++round) {
    add(made[0], prune_identities(d, options));
    constant_folding folding(options, constant_folding::stage::plan);
    folding.fold(d, [&](draft_node& n) { fold_node(folding, d, n, run); });
    if (d.has_waiting_constants) d.waiting->fold_constants(folding, d, run);
    add(made[1], folding.report());
    make_further(d, options, run, made);
    add(made[2], merge_common(d, options));
    if (made[1].changed > 0) drop_unread_constants(d);
    if (options.further.size() == 0 || changed() == std::exchange(before, changed())) break;
  }
  return made;
}

}  // namespace detail

}
}  // namespace flowgraph
