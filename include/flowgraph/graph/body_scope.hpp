#pragma once
// What stands around nodes while they are added to the body of a loop or to a branch of a condition.

#include <flowgraph/core/error.hpp>
#include <flowgraph/graph/handle.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Asked by the graph for each node that is added while the body is open; see open_body.
class body_scope {
public:
  body_scope() = default;
  body_scope(const body_scope&) = delete;
  body_scope& operator=(const body_scope&) = delete;

  // What stands inside for a handle from outside; the handle itself where it is from inside, or a constant that needs no way in.
  virtual result<any_out> bring(any_out from) = 0;
  // A node with no input from inside waits for this one, so that it runs when and as often as the body does. Null: it does not wait.
  virtual node* pivot() = 0;

protected:
  ~body_scope() = default;
};

// While it lives, nodes are added to that body: their inputs are brought in, and `node::body` is the number it was given. With null
// they are added as if none were open: bodies open one inside the other, and what is brought into the inner one comes through the
// outer one. Control dependencies that were open around it are not passed on: what is brought in carries them.
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

// A number that no other body of this graph has.
std::uint32_t next_body_number(graph_state& state);

}  // namespace detail

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/graph/impl/body_scope.hpp>
#endif
