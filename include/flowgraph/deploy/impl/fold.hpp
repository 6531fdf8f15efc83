#pragma once
// The passes that shorten a frozen graph. Nodes that depend only on constants are computed once and replaced by constants, and
// consumers of an identity of a constant read the constant. The graph can still be fed and fetched by name: other identities and
// defaults of placeholders stay.

#include <flowgraph/deploy/freeze.hpp>
#include <flowgraph/deploy/detail/graph_copy.hpp>
#include <flowgraph/passes/improve.hpp>
#include <flowgraph/passes/prune.hpp>
#include <flowgraph/passes/prune_identities.hpp>
#include <flowgraph/runtime/planning/draft_runner.hpp>

#include <algorithm>
#include <unordered_map>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class folder {
public:
  folder(const graph& g, const freeze_options& options) : graph_(g), options_(options), copy_(g) {}

  result<graph> fold(std::span<const any_out> fetches) {
    {
      threading::lock_guard lock(graph_.state().mutex);
      if (error why = prune(graph_.state(), {}, fetches, {}, draft_)) return why;
    }
    compute();
    find_needed();
    for (const draft_node& n : draft_)
      if (needed_[n.id])
        if (error why = put(n)) return why;
    return copy_.finish();
  }

private:
  // Computes the values of nodes, in the order of their creation. A node that fails, or whose result is too large, stays.
  void compute() {
    std::size_t constants = 0;
    for (const draft_node& n : draft_)
      if (n.kind == draft_node::form::constant) constants += n.table->description->constant(n.attributes)->bytes();
    // Memory for the outputs, and the same amount for computing.
    const std::size_t most = memory_budget::unlimited / 2;
    container none;
    run_services services;
    services.resources = &none;
    draft_runner run(services, 2 * (std::min(options_.folded_bytes, most / 2) + std::min(constants, most / 2)), graph_.state());
    const pass_options limits{.folded_bytes = options_.folded_bytes};
    constant_folding folding(limits, constant_folding::stage::schedule);
    folding.fold(draft_, [&](draft_node& n) {
      if (n.table->may_be_fed || prune_identity(draft_, n) || n.table->passes_value) return;
      fold_node(folding, draft_, n, run);
    });
  }
  // Returns the node of the graph that a node of the draft comes from.
  const node& node_of(const draft_node& n) const { return *graph_.state().nodes[n.id]; }
  static bool is_folded(const draft_node& n) { return n.values != nullptr; }
  // A constant has only one output: a node with several outputs that is fetched by name stays, although its values are known.
  static bool stays(const draft_node& n) { return n.is_requested && n.outputs.size() > 1; }

  void find_needed() {
    needed_.assign(copy_.nodes().size(), false);
    std::vector<const draft_node*> stack;
    const auto need = [&](const draft_node* n) {
      if (std::exchange(needed_[n->id], true)) return;
      if (!is_folded(*n) || stays(*n)) stack.push_back(n);
    };
    for (const draft_edge& e : draft_.fetches) need(e.from);
    while (!stack.empty()) {
      const draft_node* n = stack.back();
      stack.pop_back();
      for (const draft_edge& e : n->inputs) need(e.from);
      for (const draft_node* c : n->controls) need(c);
    }
  }

  error put(const draft_node& n) {
    if (is_folded(n) && !stays(n)) {
      auto result = copy_.add_constant(node_of(n), n.values[0], n.table->sum);
      return result ? error() : result.error();
    }
    std::vector<any_out> inputs;
    for (const draft_edge& e : n.inputs) {
      auto from = input(e);
      if (!from) return from.error();
      inputs.push_back(*from);
    }
    auto result = copy_.add(node_of(n), *n.table, n.attributes, inputs);
    return result ? error() : result.error();
  }
  // Returns the handle of an edge in the copy. A folded output after the first is a separate constant node.
  result<any_out> input(const draft_edge& e) {
    const node& from = node_of(*e.from);
    if (!is_folded(*e.from) || (e.port == 0 && !stays(*e.from))) return copy_.at({const_cast<node*>(&from), e.port});
    any_out& part = parts_[{from.id, e.port}];
    if (!part.source) {
      auto result = copy_.add_part(from, message{"output_", e.port}.string(), e.from->values[e.port]);
      if (!result) return result.error();
      part = any_out{*result, 0};
    }
    return part;
  }

  struct hash {
    std::size_t operator()(const std::pair<std::uint32_t, std::uint32_t>& e) const noexcept {
      return e.first * std::size_t{31} + e.second;
    }
  };

  const graph& graph_;
  const freeze_options& options_;
  graph_copy copy_;
  draft draft_;
  std::vector<char> needed_;  // by node id
  std::unordered_map<std::pair<std::uint32_t, std::uint32_t>, any_out, hash> parts_;
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
