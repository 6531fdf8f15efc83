#pragma once
// A graph to ship: variables are constants, and nothing is left but what the fetches need.
//
//     fg::graph model = fg::freeze(s, {y}).value();              // handles or names: {"y:0"}
//     fg::save_graph_def(fg::export_graph(model).value(), "model.pb").value();
//
// Names are those of the graph: what was fed and fetched as "x:0" and "y:0" still is. Values are copied from the session's
// container when the function is called; the new graph outlives session and container.

#include <flowgraph/runtime/session.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct freeze_options {
  // What depends on constants alone is computed now.
  bool fold = true;
  // A constant that folding makes has at most so many bytes, or as many as the constants that it is computed from.
  std::size_t folded_bytes = std::size_t{10} << 20;
  // Ops that hold state of another kind than variables and may stay: {"Counter"}. What they hold is not copied.
  std::span<const std::string_view> keep = {};
};

// A new graph in which variables are constants, pruned to what the fetches need. Refused, by their names: what changes a variable; a
// variable without a value; queues and other state, unless it lives as long as a run or `keep` says so. The session and its graph are
// not changed.
result<graph> freeze(const session& s, std::span<const any_out> fetches, const freeze_options& options = {});
result<graph> freeze(const session& s, std::initializer_list<edge_or_name> fetches, const freeze_options& options = {});
template <class... T>
result<graph> freeze(const session& s, const fetch_list<T...>& fetches, const freeze_options& options = {}) {
  return freeze(s, std::span<const any_out>(fetches.edges), options);
}

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/deploy/impl/freeze.hpp>
#endif
