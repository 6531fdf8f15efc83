#pragma once
// Freezes a graph for deployment: variables become constants, and only the nodes that the fetches need remain.
//
//     fg::graph model = fg::freeze(s, {y}).value();              // handles or names: {"y:0"}
//     fg::save_graph_def(fg::export_graph(model).value(), "model.pb").value();
//
// Nodes keep their names, so feeds and fetches such as "x:0" and "y:0" stay valid. Values are copied from the session's container
// when the function is called. The new graph may outlive the session and its container.

#include <flowgraph/runtime/session.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of freeze.
struct freeze_options {
  // True: nodes that depend only on constants are computed when the graph is frozen.
  bool fold = true;
  // Largest size of a folded constant in bytes. A folded constant may be larger if the constants from which it is computed are
  // larger.
  std::size_t folded_bytes = std::size_t{10} << 20;
  // Ops that may remain although they have state other than variables: {"Counter"}. Their state is not copied.
  std::span<const std::string_view> keep = {};
};

// Returns a new graph that contains only the nodes that the fetches need, with constants in place of the variables. Returns an
// error that names the node if a node changes a variable, if a variable has no value, or if a node has other state, such as a
// queue, unless this state is local to a run or the op of the node is in `keep`. The session and its graph are not changed.
result<graph> freeze(const session& s, std::span<const any_out> fetches, const freeze_options& options = {});
result<graph> freeze(const session& s, std::initializer_list<edge_or_name> fetches, const freeze_options& options = {});
template <class... T>
result<graph> freeze(const session& s, const fetch_list<T...>& fetches, const freeze_options& options = {}) {
  return freeze(s, std::span<const any_out>(fetches.edges), options);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/deploy/impl/freeze.hpp>
#endif
