#pragma once
// The surroundings of nodes while they are added to the body of a loop or to a branch of a condition.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/handle.hpp>

#include <memory>
#include <string_view>
#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct node_request;

namespace detail {

class loop_map;

// Asked by the graph for each node that is added while the body is open; see open_body.
class body_scope {
public:
  body_scope() = default;
  body_scope(const body_scope&) = delete;
  body_scope& operator=(const body_scope&) = delete;

  // The handle inside the body that represents a handle from outside; the handle itself if it is from inside, or a constant, which is
  // visible everywhere.
  virtual result<any_out> capture(any_out from) = 0;
  // A node without inputs from inside the body waits for this node, so that it runs when and as often as the body does. Null: it does not
  // wait.
  virtual node* pivot() = 0;
  // Inside the body, to wait for this node is to run after `from`, which is outside.
  virtual result<node*> capture_control(node* from) { return from; }
  // Bodies may be nested: whether `capture` needs nothing from the enclosing bodies, and the innermost of these.
  virtual bool has(any_out) const { return true; }
  virtual body_scope* around() const { return nullptr; }

  // For a node that captures a handle into this body: that handle. Empty for all other nodes.
  virtual any_out behind(const node&) const { return {}; }
  // Whether the body runs only where this predicate of a Switch has that value.
  virtual bool is_guarded_by(any_out, bool) const { return false; }
  // This body, as the nodes of gradients see it that are added to it while the result lives: they also read values of closed branches
  // that stand in the bodies around. Null: nothing differs.
  virtual std::shared_ptr<body_scope> for_gradients(loop_map&) { return nullptr; }

protected:
  ~body_scope() = default;
};

// While it lives, nodes are added to that body: their inputs are captured, and `node::body` is the body's number. With null, nodes are
// added as if no body were open. Bodies may be nested: values captured into the inner one pass through the outer one. Control dependencies
// opened outside are not inherited: captured values carry them.
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

// While it lives, that body replaces the open one; everything else is unchanged. Null: it has no effect.
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

// A new body number, unique in this graph, for a body inside the open one. Errors show its name.
std::uint32_t next_body_number(graph_state& state, std::string_view name = "a body that is closed");

// Whether the node is a constant of the plan, visible in every body without being captured.
bool is_free(const node& n);
// Whether `body` is `other` or is nested in it.
bool is_within(const graph_state& state, std::uint32_t body, std::uint32_t other);

// An error for a node inside of a body that is closed, as `name`.
error check_reach(const graph_state& state, const node& from, const std::string& name);

// While it lives, nodes may use handles from closed bodies: for the ends of loops and branches, and for gradients.
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

// The side effects of a body: none, it reads variables, or it changes state.
enum class effect : std::uint8_t { none, reads, changes };

// While it lives, nodes with side effects that are added to a body are recorded. take() gives the nodes that everything after the body
// waits for: those that change state, and those that read variables.
class noted_effects {
public:
  explicit noted_effects(graph_state& state);
  ~noted_effects();
  noted_effects(const noted_effects&) = delete;
  noted_effects& operator=(const noted_effects&) = delete;

  sequence<node*> take();
  effect found() const { return found_; }         // of all that was taken
  bool holds_loops() const { return has_loop_; }  // and whether loops had a part in it

private:
  bool is_used(const node* n) const;

  graph_state& state_;
  sequence<std::pair<node*, bool>> before_;
  sequence<node*> ends_before_;
  effect found_ = effect::none;
  bool has_loop_ = false;
};
// Records that the open body has this effect, which is complete when the node has run. `of_loop`: a loop has it, or a branch that holds one.
void note_effect(graph_state& state, node* n, effect what, bool of_loop = false);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/graph/impl/body_scope.hpp>
#endif
