#pragma once
// What stands around nodes while they are added to the body of a loop or to a branch of a condition.

#include <flowgraph/core/error.hpp>
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

  // What stands inside for a handle from outside; the handle itself where it is from inside, or a constant that needs no way in.
  virtual result<any_out> capture(any_out from) = 0;
  // A node with no input from inside waits for this one, so that it runs when and as often as the body does. Null: it does not wait.
  virtual node* pivot() = 0;
  // What a node inside waits for when it shall run after one from outside.
  virtual result<node*> bring_control(node* from) { return from; }
  // Bodies may stand deep inside one another: whether `capture` needs nothing of the ones around, and the next of these.
  virtual bool has(any_out) const { return true; }
  virtual body_scope* around() const { return nullptr; }

  // What a node stands for that brings a handle into this body: that handle. Empty for all other nodes.
  virtual any_out behind(const node&) const { return {}; }
  // Whether the body runs only where this predicate of a Switch has that value.
  virtual bool is_guarded_by(any_out, bool) const { return false; }
  // This body, as the nodes of gradients see it that are added to it while the result lives: they also read values of closed branches
  // that stand in the bodies around. Null: nothing differs.
  virtual std::shared_ptr<body_scope> for_gradients(loop_map&) { return nullptr; }

protected:
  ~body_scope() = default;
};

// While it lives, nodes are added to that body: their inputs are captured, and `node::body` is the number it was given. With null
// they are added as if none were open: bodies open one inside the other, and what is captured into the inner one comes through the
// outer one. Control dependencies that were open around it are not passed on: what is captured carries them.
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
  std::vector<node*> control_before_;
};

// While it lives, that body stands in place of the one that is open; all else stays as it is. Null: it has no effect.
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

// A number that no other body of this graph has, of one that stands in the body that is open. Errors call it by its name.
std::uint32_t next_body_number(graph_state& state, std::string_view name = "a body that is closed");

// A value of the plan: it stands in every body and needs no way in.
bool is_free(const node& n);
// Is a body the other one, or inside of it?
bool is_within(const graph_state& state, std::uint32_t body, std::uint32_t other);

// An error for a node inside of a body that is closed, as `name`.
error check_reach(const graph_state& state, const node& from, const std::string& name);

// While it lives, nodes may take handles from inside of bodies that are closed: the ends of loops and branches, and gradients.
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

// What a body does to the world: nothing, it looks at variables, it changes something.
enum class effect : std::uint8_t { none, reads, changes };

// While it lives, what is added to a body and has an effect is noted. take() gives the nodes that whatever follows the body waits
// for: those with an effect and, beside these, those that read variables.
class noted_effects {
public:
  explicit noted_effects(graph_state& state);
  ~noted_effects();
  noted_effects(const noted_effects&) = delete;
  noted_effects& operator=(const noted_effects&) = delete;

  std::vector<node*> take();
  effect found() const { return found_; }  // of all that was taken

private:
  bool is_used(const node* n) const;

  graph_state& state_;
  std::vector<std::pair<node*, bool>> before_;
  effect found_ = effect::none;
};
// The body that is open does this, and has done it when the node has run.
void note_effect(graph_state& state, node* n, effect what);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/graph/impl/body_scope.hpp>
#endif
