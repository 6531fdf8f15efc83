#pragma once
// The loop that runs backwards: one iteration for each of the loop it belongs to, from the last to the first. Its variables are the
// gradients of that loop's variables and the sums of the gradients of its constants, and the history of the values that it reads.
//
//     forward                          history = push(history, x, ...)           one entry an iteration
//     backward                         while has(history): g = dx(g, value 0 of history); history = pop(history)

#include <flowgraph/graph/body_scope.hpp>
#include <flowgraph/graph/gradient_walk.hpp>
#include <flowgraph/ops/control_flow/control_flow.hpp>
#include <flowgraph/ops/control_flow/history.hpp>

#include <map>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

class backward_loop final : public body_scope {
public:
  backward_loop(graph_state& g, loop_gradient_request& request, const node& exit);

  void build();

  // What the gradients of the body's nodes ask for: values of the loop's own iterations come out of the history, values from around
  // it are the same in all iterations.
  result<any_out> bring(any_out from) override;
  node* pivot() override { return shorter_.source; }

private:
  // A variable of the loop that is being made.
  struct round {
    node* merge = nullptr;
    any_out inside, outside;  // in the body, and when it has ended
  };

  bool choose();
  void begin_forward();
  void begin_backward();
  void walk_body();
  void end_forward();

  any_out start_of(const loop_variable& v);
  any_out exit_of(const loop_variable& v);
  node* enter(any_out value, std::string_view frame, bool is_constant, std::span<node* const> after = {});
  round begin_round(any_out initial);
  void branch(round& r, any_out condition);
  void close(const round& r, any_out next);
  any_out saved(const edge& e);
  any_out alive(any_out value, const loop_map::guard& guard);
  any_out history_behind(std::span<const loop_map::guard> guards);
  any_out forward(node* n);  // one that was added to the loop itself

  graph_state& state_;
  loop_gradient_request& request_;
  loop_map& loops_;
  const loop_of_graph& loop_;
  const node& exit_;
  body_scope* const outer_;
  const std::uint32_t outer_number_, number_;
  std::string frame_name_;
  std::int64_t parallel_iterations_ = 10;

  std::vector<const loop_variable*> variables_;  // those that gradients go round for
  std::vector<const node*> constants_;           // and those whose gradients are summed
  std::vector<round> gradients_;                 // variables, then constants
  round history_;
  any_out shorter_;

  node* forward_merge_ = nullptr;  // of the history, in the loop itself
  any_out forward_history_, forward_exit_;
  std::vector<any_out> kept_;                               // what each of its iterations leaves behind
  std::map<std::pair<const node*, std::uint32_t>, any_out> brought_;
  std::vector<std::pair<std::vector<loop_map::guard>, any_out>> histories_;
};

}  // namespace detail

}  // namespace flowgraph
