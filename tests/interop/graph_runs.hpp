#pragma once
// What must hold when a graph that nobody meant to write is imported and run: each run ends, in tensors of the types that their
// edges say or in an error, within its memory.

#include "fuzz_import.hpp"
#include "random_values.hpp"

#include <flowgraph/runtime/session.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace fuzz_targets {

struct run_limits {
  std::size_t memory = 2 << 20;  // of tensors that are alive at a time
  std::chrono::milliseconds time{20};
  std::pmr::memory_resource* buffers = nullptr;  // where tensors lie; null: on the heap
};

struct run_counts {
  std::size_t refused = 0, imported = 0, runs = 0, answered = 0;
};

// A graph and what is asked of it, besides what is asked of any graph.
struct asked_graph {
  fg::graph_def graph;
  std::vector<fg::named_run> runs;
};

namespace detail {

inline void check_results(std::span<const fg::any_out> fetches, std::span<const fg::any_tensor> found) {
  must(found.size() == fetches.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    must(found[i].type() == fetches[i].type() && static_cast<std::size_t>(found[i].shape().size()) == found[i].size());
}

// Constants too lie where the other tensors do.
inline void move_constants(fg::graph_def& g, std::pmr::memory_resource* to) {
  for (fg::node_def& n : g.nodes)
    for (fg::attribute_def& a : n.attributes)
      if (const auto* t = a.value.get<fg::any_tensor>(); t && t->has_value())
        if (auto copy = t->copy(to)) a.value = *std::move(copy);
}

}  // namespace detail

inline bool can_be_imported(const fg::graph_def& file) {
  fg::graph g;
  return fg::import_graph(g, file, all_ops()).has_value();
}

// All placeholders are fed, some outputs fetched: by a run, and by a prepared step that runs twice.
inline void run_any(fg::session& s, const std::vector<fg::node*>& nodes, random_values& random, const run_limits& within,
                    run_counts& counts) {
  std::pmr::memory_resource* const memory = within.buffers ? within.buffers : std::pmr::new_delete_resource();
  std::vector<fg::fed> feeds;
  std::vector<fg::any_out> fed, fetches, outputs;
  for (fg::node* n : nodes) {
    if (n->op->description->placeholder) {
      auto value = random.tensor(n->outputs[0].type, random.known_shape(n->outputs[0].shape), memory);
      if (!value.has_value()) continue;
      fed.push_back({n, 0});
      feeds.emplace_back(fed.back(), std::move(value));
    }
    for (std::uint32_t i = 0; i < n->outputs.size(); ++i) outputs.push_back({n, i});
  }
  if (outputs.empty()) return;
  for (std::size_t n = 1 + random.below(6); n > 0; --n) fetches.push_back(random.of(outputs));
  const fg::target last = nodes[random.below(nodes.size())];

  counts.runs += 2;
  const auto found =
      s.try_run(fg::run_request{.feeds = feeds, .fetches = fetches, .targets = {&last, 1}}, fg::run_options::within(within.time));
  if (found) detail::check_results(fetches, *found), ++counts.answered;

  auto step = s.try_prepare(fed, fetches, {&last, 1});
  if (!step) return;
  std::vector<fg::any_tensor> values;
  for (const fg::fed& f : feeds) values.push_back(f.value);
  std::vector<fg::any_tensor> results(fetches.size());
  for (int i = 0; i < 2; ++i) {
    const fg::run_options in_time = fg::run_options::within(within.time);
    if (!step->try_run(values, results, in_time)) return;
    detail::check_results(fetches, results);
  }
  ++counts.answered;
}

// A file that says nothing of its runs: whatever assigns runs once.
inline void run_assignments(fg::session& s, const std::vector<fg::node*>& nodes, const run_limits& within) {
  std::vector<fg::target> all;
  for (fg::node* n : nodes)
    if (n->op->name() == "Assign" || n->op->name() == "AssignVariableOp") all.emplace_back(n);
  if (!all.empty()) static_cast<void>(s.try_run(fg::run_request{.targets = all}, fg::run_options::within(within.time)));
}

// Imported, and then run: as it asks itself, then as above.
inline void run_graph(asked_graph asked, random_values& random, const run_limits& within, run_counts& counts) {
  if (within.buffers) detail::move_constants(asked.graph, within.buffers);
  fg::graph g;
  const auto made = fg::import_graph(g, asked.graph, all_ops(), {.nodes_of_calls = 2000});
  must(made ? g.size() >= asked.graph.nodes.size() : g.size() == 0);
  if (!made) return void(++counts.refused);
  ++counts.imported;
  fg::session s{g, {.memory = within.buffers, .memory_limit = within.memory, .dynamic = random.one_in(4)}};
  if (asked.runs.empty()) run_assignments(s, made->nodes, within);
  for (const fg::named_run& r : asked.runs) {
    ++counts.runs;
    if (s.try_run(r, fg::run_options::within(within.time))) ++counts.answered;
  }
  run_any(s, made->nodes, random, within, counts);
}

// A file of any bytes, imported and run if it is a graph; what is fed and fetched hangs on the bytes alone.
inline void graph_def_runs(bytes file) {
  auto read = fg::read_graph_def(file, limits);
  if (!read) return;
  std::uint64_t seed = 14695981039346656037u;
  for (const std::byte b : file) seed = (seed ^ static_cast<std::uint64_t>(b)) * 1099511628211u;
  random_values random(seed);
  run_counts counts;
  run_graph({*std::move(read), {}}, random, {}, counts);
}

}  // namespace fuzz_targets
