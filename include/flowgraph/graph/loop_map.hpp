#pragma once
// The loops that the Enter, Merge, Switch, NextIteration and Exit nodes of a graph form, independently of the way in which these
// nodes were added.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/node.hpp>

#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// A value that a loop passes from one iteration to the next: it enters once, is merged with the value of the previous iteration,
// and is read in the body after the Switch.
struct loop_variable {
  node* enter = nullptr;
  node* merge = nullptr;
  node* branch = nullptr;  // the body reads its output 1; null if the body does not read the value
  node* next = nullptr;
  node* exit = nullptr;  // null if no node reads the last value
};

bool is_constant_enter(const node& n);

// `is_history` returns whether an edge carries the history of a loop (ops/control_flow/history.hpp). `push_behind` returns the node
// that made the entries of the history, or null if there is no such node.
bool is_history(const edge& e);
const node* push_behind(const edge& e);
// If an edge carries a handle of a variable, returns the node that made the handle; otherwise returns null.
const node* handle_behind(const edge& e);

// One side of all Switches that use a predicate.
struct switch_side {
  edge predicate;
  bool side;
  bool operator==(const switch_side&) const = default;
};

struct loop_of_graph {
  std::uint32_t parent = 0;      // the frame that contains the loop
  sequence<switch_side> guards;  // conditions in the parent frame under which the loop runs
  std::string name;
  node* condition = nullptr;  // the LoopCond node
  sequence<loop_variable> variables;
  sequence<node*> constants;  // Enters of values that are the same in all iterations
};

// The loops of a graph. Frames are numbered: frame 0 is outside of all loops, and each other frame `i` is the body of loop(i).
class loop_map {
public:
  // Finds the loops of the nodes that the graph contains now. Ill-formed loops are left incomplete; preparing a run ends with an
  // error that names them.
  explicit loop_map(const graph_state& g);

  // Returns the frame that contains the outputs of a node.
  std::uint32_t frame_of(const node& n) const { return n.id < frames_.size() ? frames_[n.id] : 0; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(loops_.size()); }
  const loop_of_graph& loop(std::uint32_t frame) const { return loops_[frame - 1]; }
  // Returns the sides of Switches that must be taken for an output to be live in its frame, outermost first.
  const sequence<switch_side>& guards_of(const edge& e) const;

  // Registers the frame and the guards of a node that was added after the map was created.
  void put(const node& n, std::uint32_t frame, sequence<switch_side> guards = {});

private:
  std::uint32_t child(std::uint32_t parent, const node& enter);
  void find_variables(const graph_state& g);
  void find_guards(const node& n);

  sequence<loop_of_graph> loops_;
  sequence<std::uint32_t> frames_;                  // frame of each node, by its id
  sequence<sequence<switch_side>> guards_;          // guards of all outputs of a node, except of a Switch
  sequence<sequence<switch_side>> guards_of_true_;  // guards of output 1 of a Switch
};

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/graph/impl/loop_map.hpp>
#endif
