#pragma once
// The scope of nodes that are added to the body of a loop or to a branch of a condition.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/handle.hpp>

#include <memory>
#include <string_view>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct node_request;

namespace detail {

class loop_map;

// The body of a loop or a branch. The graph calls these functions for each node that is added while the body is open (see
// open_body).
class body_scope {
public:
  body_scope() = default;
  body_scope(const body_scope&) = delete;
  body_scope& operator=(const body_scope&) = delete;

  // Returns the handle inside the body that represents a handle from outside. A handle from inside, or of a constant, is returned
  // unchanged: constants are visible everywhere.
  virtual result<any_out> capture(any_out from) = 0;
  // Returns the node that nodes without inputs in the body must wait for, so that they run each time the body runs. Returns null if
  // these nodes do not wait.
  virtual node* pivot() = 0;
  // Returns the node inside the body that represents `from`, a node outside the body. A node that waits for the returned node runs
  // after `from`.
  virtual result<node*> capture_control(node* from) { return from; }
  // For nested bodies: `has` returns whether `capture` needs nothing from the enclosing bodies, and `around` returns the innermost
  // enclosing body.
  virtual bool has(any_out) const { return true; }
  virtual body_scope* around() const { return nullptr; }

  // If the node captures a handle into this body, returns the captured handle; otherwise returns an empty handle.
  virtual any_out behind(const node&) const { return {}; }
  // Returns whether the body runs only if this predicate of a Switch has this value.
  virtual bool is_guarded_by(any_out, bool) const { return false; }
  // Returns a scope for the nodes of gradients that are added to this body while the returned scope exists: these nodes can also
  // read values of closed branches in the enclosing bodies. Returns null if the body itself is the scope.
  virtual std::shared_ptr<body_scope> for_gradients(loop_map&) { return nullptr; }

protected:
  ~body_scope() = default;
};

// Adds new nodes to `body` while this object exists: their inputs are captured, and `node::body` is the number of the body. If
// `body` is null, nodes are added as if no body were open. Bodies may be nested: values that the inner body captures pass through
// the outer body. Control dependencies that were opened outside the body are not inherited; captured values carry them.
class open_body {
public:
  open_body(graph_state& state, body_scope* body, std::uint32_t number);
  ~open_body();
  open_body(const open_body&) = delete;
  open_body& operator=(const open_body&) = delete;

private:
  graph_state& state_;
  body_scope* before_;
  std::uint32_t number_before_;
  sequence<node*> control_before_;
};

// Replaces the open body by `body` while this object exists, and changes nothing else. If `body` is null, the object has no effect.
class body_in_place {
public:
  body_in_place(graph_state& state, body_scope* body);
  ~body_in_place();
  body_in_place(const body_in_place&) = delete;
  body_in_place& operator=(const body_in_place&) = delete;

private:
  graph_state& state_;
  body_scope* before_;
};

// Returns a new body number, unique in this graph, for a body inside the open body. Error messages show the name of the body.
std::uint32_t next_body_number(graph_state& state, std::string_view name = "a body that is closed");

// Returns whether the node is a constant of the plan, which is visible in every body without being captured.
bool is_free(const node& n);
// Returns whether `body` is `other` or is nested in it.
bool is_within(const graph_state& state, std::uint32_t body, std::uint32_t other);

// Returns an error if the node is inside a closed body. The error calls the node `name`.
error check_reach(const graph_state& state, const node& from, const std::string& name);

// Lets nodes use handles from closed bodies while this object exists: for the ends of loops and branches, and for gradients.
class open_to_closed_bodies {
public:
  explicit open_to_closed_bodies(graph_state& state);
  ~open_to_closed_bodies();
  open_to_closed_bodies(const open_to_closed_bodies&) = delete;
  open_to_closed_bodies& operator=(const open_to_closed_bodies&) = delete;

private:
  graph_state& state_;
  bool before_;
};

// The side effect of a body: it has no effect, it reads variables, or it changes state.
enum class effect : std::uint8_t { none, reads, changes };

// Records nodes with side effects that are added to a body while this object exists. take() returns the nodes that everything
// after the body must wait for: nodes that change state and nodes that read variables.
class noted_effects {
public:
  explicit noted_effects(graph_state& state);
  ~noted_effects();
  noted_effects(const noted_effects&) = delete;
  noted_effects& operator=(const noted_effects&) = delete;

  sequence<node*> take();
  effect found() const { return found_; }         // effect of all nodes that take() returned
  bool holds_loops() const { return has_loop_; }  // whether some of these nodes follow loops

private:
  bool is_used(const node* n) const;

  graph_state& state_;
  sequence<std::pair<node*, bool>> before_;
  sequence<node*> ends_before_;
  effect found_ = effect::none;
  bool has_loop_ = false;
};
// Records that the open body has this effect, which is complete when the node has run. `of_loop`: whether the effect is the effect
// of a loop, or of a branch that contains a loop.
void note_effect(graph_state& state, node* n, effect what, bool of_loop = false);

}  // namespace detail

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/graph/impl/body_scope.hpp>
#endif
