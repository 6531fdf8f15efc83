#pragma once
// Runs several graphs as one: what a `_Send` of one gives, the `_Recv` of the same name in another takes, in the same iteration of loops
// of the same name.
//
//     auto values = fg::run_together({{.in = &left, .targets = {send}}, {.in = &right, .fetches = {y}}});   // values[1][0]
//
// The ops are in ops/exchange.hpp. TensorFlow cuts a graph into such parts; cut graphs of one's own do not need them (runtime/cut.hpp).

#include <flowgraph/runtime/session.hpp>

#include <initializer_list>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// The part that one session has in a joint run. A session may take part several times. Sessions that share a container, session_options::resources, have its
// variables and queues in common, and nodes of one name that draw random numbers draw on: so graphs of several steps are one program.
struct joint_part {
  session* in = nullptr;
  std::vector<fed> feeds = {};
  std::vector<any_out> fetches = {};
  std::vector<target> targets = {};
};

// The fetches of each part. Refuses, before anything runs, to receive what no part sends. The first error ends all parts.
result<std::vector<std::vector<any_tensor>>> try_run_together(std::span<const joint_part> parts, const run_options& options = {});
// The same, and raises errors.
inline std::vector<std::vector<any_tensor>> run_together(std::span<const joint_part> parts, const run_options& options = {}) {
  return try_run_together(parts, options).value();
}
inline std::vector<std::vector<any_tensor>> run_together(std::initializer_list<joint_part> parts,
                                                         const run_options& options = {}) {
  return try_run_together({parts.begin(), parts.size()}, options).value();
}

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/impl/joint_run.hpp>
#endif
