#pragma once

#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/control_flow/impl/body.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/math/math.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// A loop reads outside values through Enters. They are the same in all iterations.
class loop_scope final : public capturing_scope {
public:
  loop_scope(graph_state& g, const while_options& o)
      : capturing_scope(g, message{"loop '", g.scope_name(), "'"}.string(), {{}, o.location}),
        op_{g.scope_name(), true, o.parallel_iterations} {}

  node* pivot() override {
    if (!pivot_ && once_.source) pivot_ = identity_inside(once_, "pivot").source;
    return pivot_;
  }
  // The condition runs in each iteration that begins, and the body in the iterations in which it is true.
  void enter_condition(node* merge) { pivot_ = merge; }
  void enter_body(any_out first) {
    once_ = first;
    pivot_ = nullptr;
  }

  const std::string& frame() const { return op_.frame_name; }
  // Returns the first value of a loop variable. If it is the value of a variable, the value is read once, because the variable may
  // change while the loop runs.
  any_out enter(any_out initial, const site& s) const {
    if (is_reference(initial)) initial = identity_of(state(), initial, {"read", s.location});
    enter_op first = op_;
    first.is_constant = false;
    return {add_flow(state(), first, {&initial, 1}, s), 0};
  }

private:
  result<any_out> take(any_out from) override {
    ref_enter_op by_reference;
    static_cast<enter_op&>(by_reference) = op_;
    node_request r = is_reference(from) ? request_of(flow_table<ref_enter_op>(state(), from), &by_reference, {&from, 1})
                                        : request_of(flow_table<enter_op>(state(), from), &op_, {&from, 1});
    if (is_reference(from) || from.type() == dtype::resource) r.control_inputs = earlier();
    auto result = add_outside(r);
    if (!result) return result.error();
    return any_out{*result, 0};
  }

  enter_op op_;
  node* pivot_ = nullptr;
  any_out once_;
};

// Returns whether each tensor of shape `found` also has shape `expected`.
inline bool keeps(const shape& found, const shape& expected) {
  if (expected.rank < 0) return true;
  if (found.rank != expected.rank) return false;
  for (int i = 0; i < found.rank; ++i)
    if (expected[i] >= 0 && found[i] != expected[i]) return false;
  return true;
}

class while_builder {
public:
  while_builder(graph_state& g, const any_out_list& initial, const while_options& o)
      : g_(g), scope_(g, o), initial_(initial), site_{{}, o.location}, shapes_(o.shapes) {
    if (shapes_.empty())
      for (const any_out& x : initial) shapes_.push_back(x.shape());
  }

  any_out_list build(loop_parts& parts) {
    if (initial_.empty()) return refuse(message{"a loop without variables"});
    if (shapes_.size() != initial_.size())
      return refuse(message{"the loop has ", initial_.size(), " variables, found ", shapes_.size(), " shapes"});
    for (std::size_t i = 0; i < initial_.size(); ++i)
      if (!keeps(initial_[i].shape(), shapes_[i])) return wrong_shape(i, "enters with", initial_[i].shape());
    begin();
    effect found = effect::none;
    {
      noted_effects notes(g_);
      const any_out condition = ask(parts, notes);
      if (condition.shape().rank > 0)
        return refuse(message{"the condition must be a scalar, found the shape ", condition.shape()});
      branch(condition);
      const open_body inside(g_, &scope_, scope_.number());
      scope_.enter_body(inside_[0]);
      const any_out_list next = parts.body(inside_);
      if (next.size() != merges_.size())
        return refuse(message{"the loop has ", merges_.size(), " variables, its body returns ", next.size()});
      for (std::size_t i = 0; i < next.size(); ++i)
        if (next[i].is_usable() && !keeps(next[i].shape(), shapes_[i]))
          return wrong_shape(i, "has, after an iteration,", next[i].shape());
      close(next, notes.take());
      found = notes.found();
    }
    const any_out_list exits = leave();
    for (const any_out& e : exits) note_effect(g_, e.source, found, true);
    return exits;
  }

private:
  void begin() {
    any_out_list entered;
    for (std::size_t i = 0; i < initial_.size(); ++i) {
      entered.push_back(scope_.enter(initial_[i], site_));
      know(entered[i], initial_[i].shape());
    }
    const open_body inside(g_, nullptr, scope_.number());
    for (std::size_t i = 0; i < initial_.size(); ++i) {
      const any_out twice[]{entered[i], entered[i]};
      merges_.push_back({add_flow(g_, merge_op{}, twice, site_), 0});
      know(merges_[i], shapes_[i]);
    }
  }
  any_out ask(loop_parts& parts, noted_effects& notes) {
    const open_body inside(g_, &scope_, scope_.number());
    scope_.enter_condition(merges_[0].source);
    const any_out condition = parts.condition(merges_);
    const auto effects = notes.take();
    return {add_node(g_, request_of(&table_of<loop_cond_op>, &mark_, {&condition, 1}, effects), site_), 0};
  }
  // Each variable leaves the loop, or enters the body.
  void branch(any_out condition) {
    const open_body inside(g_, nullptr, scope_.number());
    for (const any_out& merged : merges_) {
      const any_out inputs[]{merged, condition};
      node* const n = add_flow(g_, switch_op{}, inputs, site_);
      done_.push_back({n, 0});
      inside_.push_back({n, n->is_poison() ? 0u : 1u});
    }
  }
  // The next iteration begins after the effects of this one.
  void close(const any_out_list& next, std::span<node* const> effects) {
    graph owner(g_.shared_from_this());
    for (std::size_t i = 0; i < next.size(); ++i) {
      const any_out value = is_reference(next[i]) ? identity_of(g_, next[i], {"read", site_.location}) : next[i];
      owner.set_back_edge(merges_[i].source, 1, {add_flow(g_, next_iteration_op{}, {&value, 1}, site_, effects), 0});
    }
  }
  any_out_list leave() {
    const open_body outside(g_, nullptr, g_.bodies.number);
    const open_to_closed_bodies closed(g_);
    any_out_list exits;
    for (const any_out& d : done_) exits.push_back({add_flow(g_, exit_op{}, {&d, 1}, site_), 0});
    return exits;
  }

  // Shapes that the rules of Enter and Merge do not know, because they do not see the back edge.
  void know(const any_out& x, const shape& s) { know_shape(x, s); }
  FLOWGRAPH_COLD any_out_list refuse(const message& why) {
    return refuse_whole(g_, why, scope_.frame(), "while_loop", site_, initial_.size());
  }
  FLOWGRAPH_COLD any_out_list wrong_shape(std::size_t i, const char* when, const shape& found) {
    return refuse(message{"variable ", i, " of the loop ", when, " the shape ", found, ", and is expected to keep the shape ",
                          shapes_[i], "; while_options::shapes can declare another shape"});
  }

  graph_state& g_;
  loop_scope scope_;
  const any_out_list& initial_;
  site site_;
  std::vector<shape> shapes_;
  loop_cond_op mark_;
  any_out_list merges_, inside_, done_;
};

// A loop with an additional variable, which counts its iterations.
class limited_loop final : public loop_parts {
public:
  limited_loop(loop_parts& parts, std::int64_t limit, const site& s) : parts_(parts), limit_(limit), site_(s) {}

  any_out condition(const any_out_list& variables) override {
    const out<std::int64_t> count = counter(variables);
    const out<bool> more = apply(less_op{}, count, constant_beside(count, tensor<std::int64_t>(limit_), site_), site_);
    const any_out own = parts_.condition(rest(variables));
    return apply(logical_and_op{}, more, out<bool>{own.source, own.port}, site_);
  }
  any_out_list body(const any_out_list& variables) override {
    const out<std::int64_t> count = counter(variables);
    any_out_list next = parts_.body(rest(variables));
    next.push_back(apply(add_v2_op{}, count, constant_beside(count, tensor<std::int64_t>(1), site_), site_));
    return next;
  }

private:
  static out<std::int64_t> counter(const any_out_list& variables) { return {variables.back().source, variables.back().port}; }
  static any_out_list rest(const any_out_list& variables) { return {variables.begin(), variables.end() - 1}; }

  loop_parts& parts_;
  std::int64_t limit_;
  site site_;
};

}  // namespace detail

FLOWGRAPH_SELDOM any_out_list detail::build_while(const any_out_list& initial, loop_parts& parts, const while_options& o) {
  const site here{{}, o.location};
  graph_state* const g = graph_of_inputs(initial, "while_loop", here);
  if (!g) return any_out_list(initial.size());
  const auto named = graph(g->shared_from_this()).in_scope(o.name.empty() ? "while" : o.name);
  const auto finished = [&](any_out_list outputs) {
    for (any_out& x : outputs)
      if (!o.back_prop && x.is_usable()) x = {add_flow(*g, stop_gradient_op{}, {&x, 1}, here), 0};
    return outputs;
  };
  if (!o.maximum_iterations) return finished(while_builder(*g, initial, o).build(parts));
  any_out_list all = initial;
  all.push_back(constant_in(*g, tensor<std::int64_t>(0), here));
  while_options limited = o;
  if (!limited.shapes.empty()) limited.shapes.push_back(shape{});
  limited_loop counted(parts, *o.maximum_iterations, here);
  any_out_list outputs = while_builder(*g, all, limited).build(counted);
  outputs.pop_back();
  return finished(std::move(outputs));
}

}  // namespace flowgraph
