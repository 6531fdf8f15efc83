#pragma once
// The loops that consist of a graph's Enter, Merge, Switch, NextIteration and Exit nodes, however these were added.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/node.hpp>

#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// What goes round in a loop: entered once, merged with what the iteration before handed on, read in the body behind the Switch.
struct loop_variable {
  node* enter = nullptr;
  node* merge = nullptr;
  node* branch = nullptr;  // its output 1 is what the body reads; null where the body does not
  node* next = nullptr;
  node* exit = nullptr;  // null where nobody wants the last value
};

bool is_constant_enter(const node& n);

// Whether an edge carries the history of a loop (ops/control_flow/history.hpp), and the node that made its entries, null where it
// has none.
bool is_history(const edge& e);
const node* push_behind(const edge& e);
// The node that makes the handle which an edge carries, where that names a variable; else null.
const node* handle_behind(const edge& e);

// A side of the switches that go by a predicate.
struct switch_side {
  edge predicate;
  bool side;
  bool operator==(const switch_side&) const = default;
};

struct loop_of_graph {
  std::uint32_t parent = 0;      // the frame that the loop stands in
  sequence<switch_side> guards;  // there
  std::string name;
  node* condition = nullptr;  // the LoopCond
  sequence<loop_variable> variables;
  sequence<node*> constants;  // Enters of what is the same in all iterations
};

// Frames are numbered: 0 is outside of all loops, i + 1 is the body of loops()[i].
class loop_map {
public:
  // Of the nodes that the graph has now. Ill-formed loops are left incomplete: preparing a run refuses them by name.
  explicit loop_map(const graph_state& g);

  // The frame in which the outputs of a node are.
  std::uint32_t frame_of(const node& n) const { return n.id < frames_.size() ? frames_[n.id] : 0; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(loops_.size()); }
  const loop_of_graph& loop(std::uint32_t frame) const { return loops_[frame - 1]; }
  // Those behind which an output of a node is alive in its frame, outermost first.
  const sequence<switch_side>& guards_of(const edge& e) const;

  // Says of a node that was added since where its outputs are, and where they are alive.
  void put(const node& n, std::uint32_t frame, sequence<switch_side> guards = {});

private:
  std::uint32_t child(std::uint32_t parent, const node& enter);
  void find_variables(const graph_state& g);
  void find_guards(const node& n);

  sequence<loop_of_graph> loops_;
  sequence<std::uint32_t> frames_;                  // by the node's id
  sequence<sequence<switch_side>> guards_;          // of all outputs of a node but those of a Switch
  sequence<sequence<switch_side>> guards_of_true_;  // of a Switch's output 1
};

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/graph/impl/loop_map.hpp>
#endif
