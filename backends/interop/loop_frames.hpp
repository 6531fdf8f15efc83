#pragma once
// What a file says of the loops of a graph, beyond their nodes: where nodes stand, and the constants that they read.

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/graph/loop_map.hpp>
#include <flowgraph/interop/graph_def.hpp>

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace wire {

// In flowgraph a constant is a value of the plan, which nodes of any loop may read. In a file it is a node outside of all loops,
// so each loop gets its own: a small one is written again, to wait for a Merge of the loop, a large one enters.
class loop_frames {
public:
  using write_node = std::function<node_def(const node&)>;

  // `nodes`: all that the file, and those before it, are to hold.
  loop_frames(const graph& g, std::span<const node* const> nodes);

  // Whether the inputs of both nodes are in the same loop.
  bool are_together(const node& a, const node& b) const { return frame_of_inputs(a) == frame_of_inputs(b); }

  // Makes `made`, which stands for `n`, read constants where `n` reads them. Gives what is to be written besides, each with the
  // constant that it is, or null.
  std::vector<std::pair<const node*, node_def>> bring_constants(const node& n, node_def& made, const write_node& write);

private:
  using brought = std::pair<const node*, node_def>;

  std::uint32_t frame_of_inputs(const node& n) const;
  std::string edge_in(std::uint32_t frame, const node& constant, const std::string& name, const write_node& write,
                      std::vector<brought>& made);

  const graph& graph_;
  std::optional<detail::loop_map> loops_;
  std::vector<bool> has_;  // by the node's id
  std::map<std::pair<std::uint32_t, const node*>, std::string> edges_;
};

}
}
}  // namespace flowgraph::wire
