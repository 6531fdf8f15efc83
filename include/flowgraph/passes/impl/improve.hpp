#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/passes/detail/computed_node.hpp>
#include <flowgraph/passes/improve.hpp>
#include <flowgraph/passes/merge_common.hpp>
#include <flowgraph/passes/prune_identities.hpp>
#include <flowgraph/passes/waiting_rules.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE bool fold_node(constant_folding& folding, draft& d, draft_node& n, node_runner run) {
  std::vector<any_tensor> values(n.outputs.size());
  if (!compute_node(folding, n, run, values)) return false;
  d.make_constant(n, std::move(values));
  return true;
}

// Removes constants without readers. Constants of the plan exist before all nodes, so control edges from them are not needed.
inline void drop_unread_constants(draft& d) {
  const auto is_constant = [](const draft_node* n) { return n->kind == draft_node::form::constant; };
  sequence<draft_node*> constants;
  for (draft_node& n : d) {
    if (is_constant(&n)) n.is_waited_for = false;
    else if (n.kind != draft_node::form::op || !n.table->description->constant) continue;
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

// A pass may find more to do after the others have run, so all of them run again, at most this number of times.
inline constexpr int most_rounds = 4;

inline void make_further(draft& d, const pass_options& options, node_runner run, pass_reports& reports) {
  for (std::size_t i = 0; i < options.further.size(); ++i) {
    const further_pass& pass = options.further[i];
    if (pass.stage != pass_stage::before_placement) continue;
    pass_call call{options, run, reports.of(pass)};
    call.report.too_large = 0;
    call.report.changed += pass.run(pass, d, call);
  }
}

inline void add_round(pass_report& sum, pass_report&& round) {
  round.changed += sum.changed;
  sum = std::move(round);
}

FLOWGRAPH_INLINE void improve(draft& d, const pass_options& options, node_runner run, pass_reports& reports) {
  const auto prune = [&]() -> pass_report& { return reports.of(&options.prune_identities, "prune_identities"); };
  const auto fold = [&]() -> pass_report& { return reports.of(&options.fold_constants, "fold_constants"); };
  const auto merge = [&]() -> pass_report& { return reports.of(&options.merge_common, "merge_common"); };
  prune(), fold(), merge();
  for (std::size_t i = 0; i < options.further.size(); ++i) reports.of(options.further[i]);
  std::size_t before = 0;
  for (int round = 0; round < most_rounds; ++round) {
    add_round(prune(), prune_identities(d, options));
    constant_folding folding(options, constant_folding::stage::plan);
    folding.fold(d, [&](draft_node& n) { fold_node(folding, d, n, run); });
    if (d.has_waiting_constants) d.waiting->fold_constants(folding, d, run);
    add_round(fold(), folding.report());
    make_further(d, options, run, reports);
    add_round(merge(), merge_common(d, options));
    if (fold().changed > 0) drop_unread_constants(d);
    if (options.further.size() == 0 || reports.changed() == std::exchange(before, reports.changed())) break;
  }
}

}  // namespace flowgraph::detail
