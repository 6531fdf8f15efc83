#pragma once
// Additions to the nodes that a file needs for loops: the loops of nodes, and the constants that the nodes of each loop read.

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/graph/loop_map.hpp>
#include <flowgraph/interop/graph_def.hpp>

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

// In flowgraph a constant is a value of the plan, which nodes of any loop may read. In a file it is a node outside of all loops. So
// each loop gets a constant of its own: a small constant is written again, with a control input from a Merge of the loop; a large
// constant gets an Enter node.
class loop_frames {
public:
  using write_node = std::function<node_def(const node&)>;

  // `nodes` are all nodes of this file and the earlier ones.
  loop_frames(const graph& g, std::span<const node* const> nodes);

  // Returns whether the inputs of both nodes are in the same loop.
  bool are_together(const node& a, const node& b) const { return frame_of_inputs(a) == frame_of_inputs(b); }

  // Changes the inputs of `definition`, the written form of `n`, so that constants are read within the loop of `n`. Returns the
  // additional nodes, each with the constant that it copies, or null.
  std::vector<std::pair<const node*, node_def>> bring_constants(const node& n, node_def& definition, const write_node& write);

private:
  using brought = std::pair<const node*, node_def>;

  std::uint32_t frame_of_inputs(const node& n) const;
  std::string edge_in(std::uint32_t frame, const node& constant, const std::string& name, const write_node& write,
                      std::vector<brought>& result);

  const graph& graph_;
  std::optional<detail::loop_map> loops_;
  std::vector<bool> has_;  // by the id of a node
  std::map<std::pair<std::uint32_t, const node*>, std::string> edges_;
};

}  // namespace flowgraph::protobuf
