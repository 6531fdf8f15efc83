#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/shape_rule.hpp>
#include <flowgraph/passes/detail/node_lists.hpp>
#include <flowgraph/passes/improve.hpp>
#include <flowgraph/passes/merge_common.hpp>
#include <flowgraph/passes/prune_identities.hpp>

#include <algorithm>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// The shapes of what a node makes of constants; unknown where only its kernel tells.
inline error infer_from_constants(const draft_node& n, sequence<shape>& made) {
  made.assign(n.outputs.size(), shape::unknown());
  if (!n.table->infer) return {};
  sequence<const shape*> shapes;
  sequence<const any_tensor*> tensors;
  for (const draft_edge& e : n.inputs) {
    tensors.push_back(&value_of_constant(e));
    shapes.push_back(&tensors.back()->shape());
  }
  shape_context context(tensors.data(), tensors.size());
  context.set_output_count(made.size());
  n.table->infer(n.attributes, context, {shapes, n.list_sizes}, made);
  return context.failed() ? error(error_code::invalid_argument, context.message()) : error();
}

// False: it is left to the runs.
inline bool compute_node(constant_folding& folding, const draft_node& n, node_runner run, std::vector<any_tensor>& values) {
  const auto folded = folding.fold({*n.origin, static_cast<std::uint32_t>(n.inputs.size()),
                                    [&](std::uint32_t k) {
                                      return known_input{&value_of_constant(n.inputs[k]), true, true, false};
                                    },
                                    [&](sequence<shape>& made) { return infer_from_constants(n, made); },
                                    [&] { return run(n, values); }, [&](std::uint32_t k) -> any_tensor& { return values[k]; }});
  return folded && *folded;
}

FLOWGRAPH_INLINE bool fold_node(constant_folding& folding, draft& d, draft_node& n, node_runner run) {
  std::vector<any_tensor> values(n.outputs.size());
  if (!compute_node(folding, n, run, values)) return false;
  d.make_constant(n, std::move(values));
  return true;
}

// Of constants that wait: it waits for all that they wait for. In a loop, or where a Merge may choose it, it must wait for something.
inline void fold_waiting_node(constant_folding& folding, draft& d, draft_node& n, node_runner run) {
  sequence<draft_node*> after;
  const auto add = [&](std::span<draft_node* const> all) {
    for (draft_node* c : all)
      if (c->is != draft_node::form::constant) add_once(after, *c);
  };
  add(n.controls);
  bool must_wait = n.is_weighed;
  sequence<draft_edge> read(n.inputs.begin(), n.inputs.end());
  for (draft_edge& e : read) {
    if (is_entered_constant(e)) {
      e = e.from->inputs[0];
      must_wait = true;
    }
    if (e.from->is == draft_node::form::op && e.from->table->constant) add(e.from->controls);
  }
  if (must_wait && after.empty()) return;
  draft_node over = n;
  over.inputs = read;
  std::vector<any_tensor> values(1);
  if (!compute_node(folding, over, run, values)) return;
  if (after.empty()) return d.make_constant(n, std::move(values));
  d.make_waiting_constant(n, std::move(values[0]), after);
}

// Constants whose readers have gone, also those that wait. Others are there before all nodes: who waits for one need not.
inline void drop_unread_constants(draft& d) {
  const auto is_constant = [](const draft_node* n) { return n->is == draft_node::form::constant; };
  sequence<draft_node*> constants;
  for (draft_node& n : d) {
    if (is_constant(&n)) n.is_waited_for = false;
    else if (n.is != draft_node::form::op || !n.table->constant) continue;
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
  std::vector<pass_report> made(3);
  for (std::size_t i = 0; i < options.further.size(); ++i) made.push_back({options.further[i].name, true, 0, 0});
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
    if (d.has_waiting_constants) folding.fold_waiting(d, [&](draft_node& n) { fold_waiting_node(folding, d, n, run); });
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
