#pragma once
// Runs several graphs as one. The value that a `_Send` node sends is received by the `_Recv` node with the same name in another
// graph, in the same iteration of loops with the same name.
//
//     auto values = fg::run_together({{.in = &left, .targets = {send}}, {.in = &right, .fetches = {y}}});   // values[1][0]
//
// The ops are in ops/exchange.hpp. TensorFlow cuts a graph into several graphs of this kind. Graphs that flowgraph cuts itself
// (runtime/cut.hpp) do not need this function.

#include <flowgraph/runtime/session.hpp>

#include <initializer_list>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The graph of one session in a joint run, with its feeds, fetches and targets. A session may occur several times. Sessions that
// have the same container (session_options::resources) share variables and queues, and random nodes with the same name continue
// the same sequence of numbers. In this way, the graphs of several steps form one program.
struct joint_graph {
  session* in = nullptr;              // the session that runs this graph
  std::vector<fed> feeds = {};        // edges and their tensors
  std::vector<any_out> fetches = {};  // edges whose values are returned
  std::vector<target> targets = {};   // nodes to run
};

// Runs the graphs together, and returns the fetched tensors of each graph. If a graph would receive a value that no graph sends,
// returns an error before anything runs. The first error ends the runs of all graphs.
result<std::vector<std::vector<any_tensor>>> try_run_together(std::span<const joint_graph> parts,
                                                              const run_options& options = {});
// Like try_run_together, but raises errors.
inline std::vector<std::vector<any_tensor>> run_together(std::span<const joint_graph> parts, const run_options& options = {}) {
  return try_run_together(parts, options).value();
}
inline std::vector<std::vector<any_tensor>> run_together(std::initializer_list<joint_graph> parts,
                                                         const run_options& options = {}) {
  return try_run_together({parts.begin(), parts.size()}, options).value();
}

using joint_part [[deprecated("use joint_graph")]] = joint_graph;

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/impl/joint_run.hpp>
#endif
