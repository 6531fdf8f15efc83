#pragma once
// The backward loop, which has an iteration for each iteration of the forward loop, from the last to the first. Its variables are
// the gradients of the forward loop's variables, the sums of the gradients of its constants, and the history of values that it reads.
//
//     forward                          history = push(history, x, ...)           one entry per iteration
//     backward                         while has(history): g = dx(g, value 0 of history); history = pop(history)

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/body_scope.hpp>
#include <flowgraph/graph/gradient_walk.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/control_flow/control_flow.hpp>
#include <flowgraph/ops/control_flow/history.hpp>
#include <flowgraph/ops/control_flow/impl/flow_tables.hpp>
#include <flowgraph/ops/control_flow/impl/gradient_scope.hpp>
#include <flowgraph/ops/control_flow/impl/handle_gradient.hpp>
#include <flowgraph/ops/control_flow/impl/history_gradient.hpp>
#include <flowgraph/ops/control_flow/impl/stand_in.hpp>

#include <algorithm>
#include <map>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

class backward_loop final : public body_scope {
public:
  backward_loop(graph_state& g, loop_gradient_request& request, const node& exit);

  void build();

  // Provides the values that gradients of the body's nodes read. Values of iterations are in the history; values from outside are the
  // same in all iterations.
  FLOWGRAPH_INLINE result<any_out> capture(any_out from) override;
  node* pivot() override { return shorter_.source; }

private:
  // A variable of the backward loop.
  struct round {
    node* merge = nullptr;
    any_out inside, outside;  // in the body, and after the loop
  };

  bool choose();
  void begin_forward();
  void begin_backward();
  void walk_body();
  void end_forward();

  any_out start_of(const loop_variable& v);
  any_out exit_of(const loop_variable& v);
  node* enter(any_out value, std::string_view frame, bool is_constant, std::span<node* const> after = {});
  // The shape of all its values, as far as it is known.
  round begin_round(any_out initial, const shape& s);
  void branch(round& r, any_out condition);
  void close(const round& r, any_out next);
  any_out saved(const edge& e);
  any_out alive(any_out value, const switch_side& guard);
  any_out history_behind(std::span<const switch_side> guards);
  any_out forward(node* n);  // for a node that was added to the forward loop

  graph_state& state_;
  loop_gradient_request& request_;
  loop_map& loops_;
  const loop_of_graph& loop_;
  const node& exit_;
  body_scope* const outer_;
  const std::uint32_t outer_number_, number_;
  std::string frame_name_;
  std::int64_t parallel_iterations_ = 10;

  sequence<const loop_variable*> variables_;  // variables whose gradients are variables of the backward loop
  sequence<const node*> constants_;           // constants, whose gradients are summed
  sequence<round> gradients_;                 // variables, then constants
  round history_;
  any_out shorter_;

  struct history_in_forward {
    node* merge = nullptr;
    any_out value, exit;
  };
  history_in_forward forward_history_;
  std::vector<any_out> kept_;  // the values that each forward iteration pushes
  std::map<std::pair<const node*, std::uint32_t>, any_out> brought_;
  sequence<std::pair<sequence<switch_side>, any_out>> histories_;
};

// Returns whether a walk computes gradients of handles, among others.
inline bool may_carry(const edge& e) {
  return carries_gradient(e.from->outputs[e.port].type) || is_history(e) || handle_behind(e);
}

template <class Op> node* add_control(graph_state& g, const Op& op, std::initializer_list<any_out> inputs) {
  return add_flow(g, op, {inputs.begin(), inputs.size()}, {});
}

}  // namespace detail

FLOWGRAPH_SELDOM detail::backward_loop::backward_loop(graph_state& g, loop_gradient_request& request, const node& exit)
    : state_(g), request_(request), loops_(*request.loops), loop_(request.loops->loop(request.frame)), exit_(exit),
      outer_(g.bodies.open), outer_number_(g.bodies.number), number_(next_body_number(g, "a gradient's loop")),
      frame_name_(g.scope_name()) {
  const attribute_value parallel = attribute_of(*loop_.variables[0].enter, "parallel_iterations");
  if (const auto* count = parallel.get<std::int64_t>()) parallel_iterations_ = *count;
}

FLOWGRAPH_SELDOM void detail::backward_loop::build() {
  if (!loop_.condition) {
    request_.why = detail::invalid_argument({"loop '", loop_.name, "' has no LoopCond"});
    return;
  }
  if (!choose()) return;
  const noted_effects notes(state_);  // nodes after the loop do not wait for these effects
  begin_forward();
  begin_backward();
  walk_body();
  end_forward();
}

// The backward loop carries gradients of the variables that a gradient reaches from an Exit, and that depend on wanted values. Both
// may happen across iterations.
FLOWGRAPH_SELDOM bool detail::backward_loop::choose() {
  sequence<const loop_variable*> all;
  std::vector<any_out> ends;
  for (const loop_variable& v : loop_.variables)
    if (v.next && v.branch && may_carry({v.merge, 0})) {
      all.push_back(&v);
      ends.push_back({v.branch, 1});
    }
  for (node* c : loop_.constants) ends.push_back({c, 0});
  const gradient_options options{.stop = request_.stop, .allow_none = true};
  sequence<sequence<bool>> from;
  for (const loop_variable* v : all) {
    const any_out next{v->next->inputs[0].from, v->next->inputs[0].port};
    from.push_back(gradient_walk(loops_, request_.frame, {&next, 1}, ends, options).reach());
  }
  const auto is_wanted = [&](const node* enter) { return std::ranges::find(request_.wanted, enter) != request_.wanted.end(); };
  sequence<char> active(all.size()), useful(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const auto& [exit, parts] : request_.arrived) active[i] |= exit->inputs[0].from == all[i]->branch && !parts->empty();
    useful[i] = is_wanted(all[i]->enter);
    for (std::size_t c = 0; c < loop_.constants.size(); ++c)
      useful[i] |= from[i][all.size() + c] && is_wanted(loop_.constants[c]);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = 0; j < all.size(); ++j) {
        if (!from[i][j]) continue;
        const bool activates = active[i] && !active[j], helps = useful[j] && !useful[i];
        active[j] |= activates;
        useful[i] |= helps;
        changed |= activates || helps;
      }
  }
  sequence<char> summed(loop_.constants.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!active[i] || !useful[i]) continue;
    variables_.push_back(all[i]);
    for (std::size_t c = 0; c < summed.size(); ++c) summed[c] |= from[i][all.size() + c] && is_wanted(loop_.constants[c]);
  }
  for (std::size_t c = 0; c < summed.size(); ++c)
    if (summed[c]) constants_.push_back(loop_.constants[c]);
  return !variables_.empty();
}

FLOWGRAPH_SELDOM any_out detail::backward_loop::forward(node* n) {
  loops_.put(*n, request_.frame);
  return {n, 0};
}

// The forward loop gets one more variable. Its first value is a constant that waits for the source of another Enter: without control
// input, it would be outside of all loops.
FLOWGRAPH_SELDOM void detail::backward_loop::begin_forward() {
  const node& first = *loop_.variables[0].enter;
  sequence<node*> after(first.control_inputs.begin(), first.control_inputs.end());
  if (after.empty() && loop_.parent != 0) after.push_back(first.inputs[0].from);
  const any_out none_yet = [&] {
    const open_body around(state_, nullptr, exit_.body);  // gradients may be built in a body that does not contain the loop
    return empty_history(state_);
  }();
  const open_body added(state_, nullptr, loop_.variables[0].merge->body);
  const any_out entered = forward(enter(none_yet, loop_.name, false, after));
  forward_history_.merge = add_control(state_, merge_op{}, {entered, entered});
  forward(forward_history_.merge);
  node* const sides = add_control(state_, switch_op{}, {any_out{forward_history_.merge, 0}, any_out{loop_.condition, 0}});
  forward_history_.value = {forward(sides).source, 1};
  const open_body around(state_, nullptr, exit_.body);
  forward_history_.exit = {add_control(state_, exit_op{}, {any_out{sides, 0}}), 0};
  loops_.put(*forward_history_.exit.source, loop_.parent, loop_.guards);
}

FLOWGRAPH_SELDOM void detail::backward_loop::end_forward() {
  const open_body added(state_, nullptr, loop_.variables[0].merge->body);
  std::vector<any_out> inputs{forward_history_.value};
  inputs.insert(inputs.end(), kept_.begin(), kept_.end());
  const push_history_op op;
  const any_out longer = forward(add_untyped(state_, table_of<push_history_op>, &op, inputs));
  const any_out next = forward(add_control(state_, next_iteration_op{}, {longer}));
  graph(state_.shared_from_this()).set_back_edge(forward_history_.merge, 1, next);
}

FLOWGRAPH_SELDOM node* detail::backward_loop::enter(any_out value, std::string_view frame, bool is_constant,
                                                    std::span<node* const> after) {
  const enter_op op{.frame_name = std::string(frame), .is_constant = is_constant, .parallel_iterations = parallel_iterations_};
  return add_flow(state_, op, {&value, 1}, {}, after);
}

FLOWGRAPH_SELDOM detail::backward_loop::round detail::backward_loop::begin_round(any_out initial, const shape& s) {
  node* entered = nullptr;
  {
    const open_body around(state_, outer_, outer_number_);
    entered = enter(initial, frame_name_, false);
  }
  entered->body = number_;
  round r;
  r.merge = add_control(state_, merge_op{}, {any_out{entered, 0}, any_out{entered, 0}});
  if (r.merge->is_poison()) return r;
  threading::lock_guard lock(state_.mutex);
  r.merge->outputs[0].shape = s;
  return r;
}
FLOWGRAPH_SELDOM void detail::backward_loop::branch(round& r, any_out condition) {
  node* const sides = add_control(state_, switch_op{}, {any_out{r.merge, 0}, condition});
  r.inside = {sides, 1};
  r.outside = {sides, 0};
}
FLOWGRAPH_SELDOM void detail::backward_loop::close(const round& r, any_out next) {
  const any_out handed_on{add_control(state_, next_iteration_op{}, {next}), 0};
  graph(state_.shared_from_this()).set_back_edge(r.merge, 1, handed_on);
}

// Returns the value of a variable after the loop.
FLOWGRAPH_SELDOM any_out detail::backward_loop::exit_of(const loop_variable& v) {
  if (v.exit) return {v.exit, 0};
  const open_body around(state_, nullptr, exit_.body);
  const any_out last{add_control(state_, exit_op{}, {any_out{v.branch, 0}}), 0};
  loops_.put(*last.source, loop_.parent, loop_.guards);
  return last;
}
FLOWGRAPH_SELDOM any_out detail::backward_loop::start_of(const loop_variable& v) {
  gradient_list parts;
  for (const auto& [exit, arrived] : request_.arrived)
    if (exit->inputs[0].from == v.branch) parts.insert(parts.end(), arrived->begin(), arrived->end());
  if (handle_behind({v.merge, 0})) return sum_or_zeros_of_handle({v.merge, 0}, parts);
  if (v.merge->outputs[0].type == dtype::resource) return parts.empty() ? empty_history(state_) : parts.front().dense;
  return parts.empty() ? zeros_like_any(exit_of(v)) : dense_sum(exit_of(v), parts);
}

FLOWGRAPH_SELDOM void detail::backward_loop::begin_backward() {
  std::vector<any_out> starts;
  for (const loop_variable* v : variables_) starts.push_back(start_of(*v));
  for (const node* c : constants_) {
    const any_out of{c->inputs[0].from, c->inputs[0].port};
    if (handle_behind(c->inputs[0])) starts.push_back(zeros_of_variable(c->inputs[0]));
    else starts.push_back(of.type() == dtype::resource ? zeros_like_history(of) : zeros_like_any(of));
  }
  const open_body inside(state_, this, number_);
  history_ = begin_round(forward_history_.exit, {});
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const node* of = i < variables_.size() ? variables_[i]->merge : constants_[i - variables_.size()];
    gradients_.push_back(
        begin_round(starts[i], handle_behind({const_cast<node*>(of), 0}) ? starts[i].shape() : of->outputs[0].shape));
  }
  const out<bool> goes_on = apply(has_history_op{}, history_handle({history_.merge, 0}));
  const any_out condition = apply(loop_cond_op{}, goes_on);
  branch(history_, condition);
  for (round& r : gradients_) branch(r, condition);
  shorter_ = apply(pop_history_op{}, history_handle(history_.inside));
}

FLOWGRAPH_SELDOM void detail::backward_loop::walk_body() {
  const open_body inside(state_, this, number_);
  std::vector<any_out> losses, wanted;
  sequence<any_grad> starts;
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const loop_variable& v = *variables_[i];
    losses.push_back({v.next->inputs[0].from, v.next->inputs[0].port});
    starts.push_back(gradients_[i].inside);
    wanted.push_back({v.branch, 1});
  }
  for (const node* c : constants_) wanted.push_back({const_cast<node*>(c), 0});
  const gradient_options options{.starts = starts, .stop = request_.stop, .allow_none = true};
  auto parts = gradient_walk(loops_, request_.frame, losses, wanted, options).run();
  if (!parts) {
    request_.why = parts.error();
    return;
  }
  for (std::size_t i = 0; i < gradients_.size(); ++i) {
    const bool is_sum = i >= variables_.size();
    gradient_list& list = (*parts)[i];
    if (is_sum) list.insert(list.begin(), gradients_[i].inside);
    const any_out& of = wanted[i];
    any_out next;
    if (handle_behind({of.source, of.port})) next = list.empty() ? zeros_like_any(gradients_[i].inside) : sum_of_handle(list);
    else if (of.type() == dtype::resource) next = joined_history(state_, list);
    else if (!list.empty()) next = dense_sum(of, list);
    else next = zeros_like_any(of.shape().is_known() ? gradients_[i].inside : *capture(of));
    close(gradients_[i], next);
    const open_body around(state_, nullptr, outer_number_);
    const any_out last{add_control(state_, exit_op{}, {gradients_[i].outside}), 0};
    request_.gradients.emplace_back(is_sum ? constants_[i - variables_.size()] : variables_[i]->enter, any_grad(last));
  }
  close(history_, shorter_);
}

FLOWGRAPH_SELDOM result<any_out> detail::backward_loop::capture(any_out from) {
  const node& n = *from.source;
  if (n.is_poison() || is_free(n) || n.body == number_) return from;
  const auto [at, fresh] = brought_.try_emplace({from.source, from.port});
  if (!fresh) return at->second;
  any_out output;
  if (loops_.frame_of(n) != request_.frame) {
    const open_body around(state_, outer_, outer_number_);
    output = {enter(from, frame_name_, true), 0};
    output.source->body = number_;
  } else if (is_constant_enter(n)) {
    auto value = capture({n.inputs[0].from, n.inputs[0].port});
    if (!value) return value;
    output = *value;
  } else {
    output = saved({from.source, from.port});
  }
  brought_[{from.source, from.port}] = output;
  return output;
}

// If a value exists only in some iterations, the history gets a stand-in in the other iterations. No node reads the stand-in: the
// readers are behind the same switches, so they are dead in these iterations.
FLOWGRAPH_SELDOM any_out detail::backward_loop::saved(const edge& e) {
  const sequence<switch_side> guards = loops_.guards_of(e);  // a copy: adding nodes changes the map
  any_out kept{e.from, e.port};
  {
    const open_body added(state_, nullptr, loop_.variables[0].merge->body);
    for (auto g = guards.rbegin(); g != guards.rend(); ++g) kept = alive(kept, *g);
  }
  const any_out from = history_behind(guards);
  kept_.push_back(kept);
  const open_body inside(state_, this, number_);
  return value_of_history(state_, from, kept_.size() - 1, {e.from, e.port});
}

FLOWGRAPH_SELDOM any_out detail::backward_loop::alive(any_out value, const switch_side& guard) {
  const any_out stand_in = stand_in_for(state_, value);
  node* const sides = add_control(state_, switch_op{}, {stand_in, any_out{guard.predicate.from, guard.predicate.port}});
  return forward(add_control(state_, merge_op{}, {value, any_out{forward(sides).source, guard.side ? 0u : 1u}}));
}

FLOWGRAPH_SELDOM any_out detail::backward_loop::history_behind(std::span<const switch_side> guards) {
  if (guards.empty()) return history_.inside;
  for (const auto& [behind, history] : histories_)
    if (std::ranges::equal(behind, guards)) return history;
  const any_out around = history_behind(guards.first(guards.size() - 1));
  const switch_side& last = guards.back();
  const any_out predicate = *capture({last.predicate.from, last.predicate.port});
  const open_body inside(state_, this, number_);
  node* const sides = add_control(state_, switch_op{}, {around, predicate});
  histories_.push_back({{guards.begin(), guards.end()}, {sides, last.side ? 1u : 0u}});
  return histories_.back().second;
}

namespace detail {

// The values of an entry are alive only on one side, but their gradients must exist in all iterations.
inline void gradient_of_switched_history(gradient_call& call) {
  const node& n = *call.at;
  graph_state& g = *n.graph;
  for (std::uint32_t side = 0; side < 2; ++side)
    for (const any_grad& entry : call.arrived[side]) {
      const bool is_whole = entry.kind != any_grad::form::entry;
      const any_out predicate{n.inputs[1].from, n.inputs[1].port};
      const any_out stand_in = is_whole ? zeros_like_history({n.inputs[0].from, n.inputs[0].port}) : stand_in_for(g, entry.dense);
      node* const sides = add_control(g, switch_op{}, {stand_in, predicate});
      any_grad gradient = entry;
      gradient.dense = {add_control(g, merge_op{}, {entry.dense, any_out{sides, 1 - side}}), 0};
      call.more.push_back({0, gradient});
    }
}

}  // namespace detail

// A value that does not depend on the side would be alive on both sides, so each side waits for its own Switch.
FLOWGRAPH_SELDOM void detail::gradient_of_switch(const void*, gradient_call& call) {
  const bool is_handle = handle_behind({const_cast<node*>(call.at), 0}) != nullptr;
  if (call.at->outputs[0].type == dtype::resource && !is_handle) return gradient_of_switched_history(call);
  node* const n = const_cast<node*>(call.at);
  graph_state& g = *n->graph;
  any_out sides[2];
  for (std::uint32_t port = 0; port < 2; ++port) {
    node* const alive[]{identity_of(g, {n, port}, {"alive"}).source};
    const any_out sum =
        is_handle ? sum_or_zeros_of_handle({n, port}, call.arrived[port]) : dense_sum({n, port}, call.arrived[port]);
    sides[port] = identity_of(g, sum, {"gradient"}, alive);
  }
  call.result.push_back(any_out{add_flow(g, merge_op{}, sides, {}), 0});
  call.result.push_back(none);
}

FLOWGRAPH_SELDOM void detail::gradient_of_merge(const void*, gradient_call& call) {
  const node& n = *call.at;
  graph_state& g = *n.graph;
  const any_out of{const_cast<node*>(&n), 0}, index{of.source, 1};
  const any_out dy = handle_behind({of.source, 0}) ? sum_of_handle(call.arrived[0]) : sum_of_arrived(of, call.arrived[0]);
  const std::size_t around = call.loops->guards_of({index.source, 0}).size();
  for (std::size_t i = 0; i < n.inputs.size(); ++i) {
    const sequence<switch_side> guards = call.loops->guards_of(n.inputs[i]);  // a copy: adding nodes changes the map
    any_out output = dy;
    const auto behind = [&](any_out predicate, bool side) {
      output = {add_control(g, switch_op{}, {output, predicate}), side ? 1u : 0u};
    };
    for (std::size_t k = around; k < guards.size(); ++k)
      behind({guards[k].predicate.from, guards[k].predicate.port}, guards[k].side);
    if (guards.size() <= around)
      behind(apply(equal_op{}, out<std::int32_t>{index.source, 1},
                   constant_in(g, tensor<std::int32_t>(static_cast<std::int32_t>(i)))),
             true);
    call.result.push_back(output);
  }
}

FLOWGRAPH_SELDOM void detail::gradient_of_loop(const void*, gradient_call& call) {
  graph_state& g = *call.at->graph;
  auto in = graph(g.shared_from_this()).in_scope(message{"gradients/", call.at->name, "_grad"}.string());
  backward_loop(g, *call.loop, *call.at).build();
}

}  // namespace flowgraph
