#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/body_scope.hpp>
#include <flowgraph/graph/gradient_walk.hpp>
#include <flowgraph/graph/graph.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/graph/table.hpp>

#include <algorithm>
#include <queue>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_SELDOM bool detail::gradient_walk::names_resource(std::span<const any_out> wanted) {
  return std::any_of(wanted.begin(), wanted.end(), [](const any_out& x) { return x.type() == dtype::resource; });
}

FLOWGRAPH_SELDOM bool detail::gradient_walk::carries(const edge& e) const {
  const bool is_carried = carries_gradient(e.from->outputs[e.port].type) || is_history(e) || (wants_handles_ && handle_behind(e));
  return is_carried && (!is_stopped(e) || is_wanted_by_caller(e));
}
FLOWGRAPH_SELDOM bool detail::gradient_walk::is_stopped(const edge& e) const {
  return std::any_of(options_.stop.begin(), options_.stop.end(),
                     [&](const any_out& s) { return s.source == e.from && s.port == e.port; });
}
FLOWGRAPH_SELDOM bool detail::gradient_walk::is_wanted_by_caller(const edge& e) const {
  return !is_step_ &&
         std::any_of(wanted_.begin(), wanted_.end(), [&](const any_out& x) { return x.source == e.from && x.port == e.port; });
}

// Returns whether the walk of a loop body ends at this node. The loop around the body provides its variables and constants.
FLOWGRAPH_SELDOM bool detail::gradient_walk::is_end(const node& n) const {
  if (!loops_ || frame_ == 0) return false;
  const control_flow control = n.op->control;
  if (control != control_flow::enter && control != control_flow::merge && control != control_flow::switch_) return false;
  const std::uint32_t frame = loops_->frame_of(n);
  if (frame == 0 || !is_around(frame)) return false;
  const auto& variables = loops_->loop(frame).variables;
  return control == control_flow::enter ||
         std::any_of(variables.begin(), variables.end(), [&](const loop_variable& v) { return v.merge == &n || v.branch == &n; });
}

FLOWGRAPH_SELDOM bool detail::gradient_walk::is_around(std::uint32_t frame) const {
  std::uint32_t f = frame_;
  while (f != frame && f != 0) f = loops_->loop(f).parent;
  return f == frame;
}
FLOWGRAPH_SELDOM any_out detail::gradient_walk::behind(const node& n) const {
  for (const body_scope* b = open_; b; b = b->around())
    if (const any_out outside = b->behind(n); outside.source) return outside;
  return {};
}
// Returns the innermost loop to whose body nodes are being added.
FLOWGRAPH_SELDOM void detail::gradient_walk::find_open_loop() {
  const node& loss = *losses_[0].source;
  graph_state& g = *loss.graph;
  std::uint32_t innermost = 0;
  for (std::uint32_t frame = 1; open_ && frame <= loops_->size(); ++frame) {
    const auto& variables = loops_->loop(frame).variables;
    const std::uint32_t body = variables.empty() ? 0 : variables[0].merge->body;
    if (body == 0 || !is_within(g, g.bodies.number, body)) continue;
    if (innermost == 0 || is_within(g, body, loops_->loop(innermost).variables[0].merge->body)) innermost = frame;
  }
  frame_ = innermost ? innermost : loops_->frame_of(loss);
  g.differentiation.loop = innermost ? loops_->loop(innermost).variables[0].merge->body : 0;
}

FLOWGRAPH_SELDOM const node* detail::gradient_walk::loop_behind(const node& exit) const {
  const std::uint32_t inside = loops_->frame_of(*exit.inputs[0].from);
  if (inside == 0 || loops_->loop(inside).variables.empty()) return nullptr;
  return loops_->loop(inside).variables[0].merge;
}
FLOWGRAPH_SELDOM const detail::loop_of_graph* detail::gradient_walk::loop_for(const node& n) const {
  if (!loops_ || n.op->control != control_flow::merge) return nullptr;
  const std::uint32_t inside = loops_->frame_of(n);
  if (inside == 0 || is_around(inside)) return nullptr;
  const loop_of_graph& loop = loops_->loop(inside);
  return !loop.variables.empty() && loop.variables[0].merge == &n ? &loop : nullptr;
}

// Calls f(edge) for each input that carries gradients; for the step from an Exit to its loop, f({stand-in, 0}).
template <class F> void detail::gradient_walk::for_each_input(const node& n, F&& f) const {
  if (const edge only{const_cast<node*>(&n), 0}; n.outputs.size() == 1 && is_stopped(only) && is_wanted_by_caller(only)) return;
  if (const any_out outside = behind(n); outside.source) {
    if (const edge e{outside.source, outside.port}; carries(e)) f(e);
    return;
  }
  if (loops_ && n.op->control == control_flow::exit) {
    if (const node* stand_in = loop_behind(n)) f(edge{const_cast<node*>(stand_in), 0});
    return;
  }
  if (const loop_of_graph* loop = loop_for(n)) {
    const auto enter = [&](const node& e) {
      if (carries(e.inputs[0])) f(e.inputs[0]);
    };
    for (const loop_variable& v : loop->variables) enter(*v.enter);
    for (const node* c : loop->constants) enter(*c);
    return;
  }
  if (is_end(n)) return;
  for (const edge& e : n.inputs)
    if (carries(e)) f(e);
}

// Searches loops and branches only if a loss can depend on one.
FLOWGRAPH_SELDOM void detail::gradient_walk::map_loops() {
  if (loops_) return;
  open_ = losses_[0].source->graph->bodies.open;
  detail::sequence<const node*> stack;
  std::unordered_map<const node*, bool> seen;
  for (const any_out& y : losses_)
    if (!y.source->is_poison()) stack.push_back(y.source);
  while (!stack.empty()) {
    const node* n = stack.back();
    stack.pop_back();
    if (!seen.emplace(n, true).second) continue;
    const control_flow control = n->op->control;
    if (control == control_flow::enter || control == control_flow::exit || control == control_flow::merge) {
      own_loops_ = std::make_unique<loop_map>(*n->graph);
      loops_ = own_loops_.get();
      find_open_loop();
      return;
    }
    for (const edge& e : n->inputs)
      if (carries(e)) stack.push_back(e.from);
  }
}

// Returns all nodes that a loss depends on: consumers before producers, otherwise later nodes first.
FLOWGRAPH_SELDOM void detail::gradient_walk::collect() {
  detail::sequence<const node*> stack;
  for (const any_out& y : losses_)
    if (!y.source->is_poison() && visits_.try_emplace(y.source).second) stack.push_back(y.source);
  while (!stack.empty()) {
    const node* n = stack.back();
    stack.pop_back();
    for_each_input(*n, [&](const edge& e) {
      auto [at, fresh] = visits_.try_emplace(e.from);
      at->second.consumers += 1;
      if (!fresh) return;
      at->second.toward_loss = n;
      stack.push_back(e.from);
    });
  }
  const auto earlier = [](const node* a, const node* b) { return a->id < b->id; };
  std::priority_queue<const node*, detail::sequence<const node*>, decltype(earlier)> ready(earlier);
  for (const auto& [n, v] : visits_)
    if (v.consumers == 0) ready.push(n);
  while (!ready.empty()) {
    const node* n = ready.top();
    ready.pop();
    order_.push_back(n);
    for_each_input(*n, [&](const edge& e) {
      if (--visits_[e.from].consumers == 0) ready.push(e.from);
    });
  }
}

FLOWGRAPH_SELDOM void detail::gradient_walk::mark() {
  for (const any_out& x : wanted_)
    if (const auto at = visits_.find(x.source); at != visits_.end()) at->second.leads_to_wanted = true;
  for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
    visit& v = visits_[*at];
    for_each_input(**at, [&](const edge& e) {
      if (!visits_[e.from].leads_to_wanted) return;
      v.leads_to_wanted = true;
      v.toward_wanted = e.from;
    });
  }
}

FLOWGRAPH_SELDOM detail::sequence<bool> detail::gradient_walk::reach() {
  map_loops();
  collect();
  sequence<bool> reached;
  for (const any_out& x : wanted_) reached.push_back(visits_.contains(x.source));
  return reached;
}

FLOWGRAPH_SELDOM result<detail::sequence<gradient_list>> detail::gradient_walk::run() {
  map_loops();
  collect();
  mark();
  const std::shared_ptr<body_scope> reading = open_ && loops_ ? open_->for_gradients(*loops_) : nullptr;
  graph_state& g = *losses_[0].source->graph;
  const body_in_place in_place(g, reading.get());
  if (open_) g.differentiation.body = g.bodies.open, g.differentiation.body_number = g.bodies.number;
  for (std::size_t i = 0; i < losses_.size(); ++i) arrive({losses_[i].source, losses_[i].port}, options_.starts[i]);
  for (const node* n : order_)
    if (error why = pass_on(n)) return why;
  detail::sequence<gradient_list> result;
  for (const any_out& x : wanted_) {
    const edge e{x.source, x.port};
    const auto& arrived = is_stopped(e) && is_wanted_by_caller(e) ? arrived_at_stop_ : arrived_;
    const auto at = arrived.find(x.source);
    result.push_back(at == arrived.end() ? gradient_list{} : at->second[x.port]);
    if (result.back().empty() && !options_.allow_none) return no_path(x);
  }
  return result;
}

FLOWGRAPH_SELDOM void detail::gradient_walk::arrive(const edge& e, const any_grad& g) {
  if (!g) return;
  auto& ports = (is_stopped(e) && is_wanted_by_caller(e) ? arrived_at_stop_ : arrived_)[e.from];
  if (ports.empty()) ports.resize(e.from->outputs.size());
  ports[e.port].push_back(g);
}

FLOWGRAPH_SELDOM error detail::gradient_walk::pass_on(const node* n) {
  const visit& v = visits_[n];
  if (!v.toward_wanted) return {};  // a wanted handle itself, or a constant of the problem
  if (loop_for(*n)) return pass_through(*n);
  const auto at = arrived_.find(n);
  if (at == arrived_.end() || (loops_ && n->op->control == control_flow::exit)) return {};
  if (const any_out outside = behind(*n); outside.source) {
    for (const gradient_list& port : at->second)
      for (const any_grad& g : gradient_list(port)) arrive({outside.source, outside.port}, g);
    return {};
  }
  if (pass_handle(*n, at->second)) return {};
  graph owner(n->graph->shared_from_this());
  auto in = owner.in_scope(message{"gradients/", n->name, "_grad"}.string());
  gradient_list gradients;
  if (const auto body = owner.replaced_gradient(n->op->name())) {
    gradient_list sums;
    for (std::uint32_t port = 0; port < n->outputs.size(); ++port) {
      any_grad sum;
      if (n->op->sum) n->op->sum(*n, port, at->second[port], sum);
      sums.push_back(sum);
    }
    body(*n, sums, gradients);
  } else if (n->op->gradient) {
    gradient_call call{n, at->second, {}, {}, loops_, nullptr};
    n->op->gradient(n->attributes, call);
    gradients = std::move(call.result);
    for (const auto& [input, gradient] : call.more) arrive(n->inputs[input], gradient);
  } else {
    return no_gradient(n);
  }
  for (std::size_t i = 0; i < gradients.size() && i < n->inputs.size(); ++i) {
    if (!carries(n->inputs[i]) || !visits_.contains(n->inputs[i].from)) continue;
    if (error why = check_shape(*n, i, gradients[i])) return why;
    arrive(n->inputs[i], gradients[i]);
  }
  return {};
}

// Checks the shape of a gradient as far as it is known: a gradient that forgets a sum, for example, would give wrong numbers. A
// handle has the gradient of its variable.
FLOWGRAPH_SELDOM error detail::gradient_walk::check_shape(const node& n, std::size_t input, const any_grad& g) {
  if (g.kind != any_grad::form::dense || !g.dense.source) return {};
  const output_info &expected = n.inputs[input].from->outputs[n.inputs[input].port],
                    &found = g.dense.source->outputs[g.dense.port];
  if (found.type != expected.type || fits(found.shape, expected.shape)) return {};
  return invalid_argument({"the gradient of op ", n.op->name(), " for input ", input, " of node '", n.name, "' has the shape ",
                           found.shape, ", but the input has ", expected.shape});
}

// A node that passes on handles of variables passes on their gradients too. These have the types of the variables.
FLOWGRAPH_SELDOM bool detail::gradient_walk::pass_handle(const node& n, const sequence<gradient_list>& arrived) {
  if (n.op->control != control_flow::none || !n.op->passes_value) return false;
  bool is_passed = false;
  for (std::uint32_t port = 0; wants_handles_ && port < arrived.size(); ++port) {
    if (arrived[port].empty() || !handle_behind({const_cast<node*>(&n), port})) continue;
    is_passed = true;
    for (const any_grad& g : gradient_list(arrived[port])) arrive(n.inputs[port], g);
  }
  return is_passed;
}

// Processes a whole loop: from the gradients of its Exits to the gradients of its Enters.
FLOWGRAPH_SELDOM error detail::gradient_walk::pass_through(const node& stand_in) {
  const loop_of_graph& loop = *loop_for(stand_in);
  loop_gradient_request r{loops_, loops_->frame_of(stand_in), options_.stop, {}, {}, {}, {}};
  const node* an_exit = nullptr;
  for (const node* n : order_) {
    if (n->op->control != control_flow::exit || loop_behind(*n) != &stand_in) continue;
    const auto at = arrived_.find(n);
    if (at == arrived_.end()) continue;
    an_exit = n;
    r.arrived.emplace_back(n, &at->second[0]);
  }
  if (!an_exit) return {};
  if (!an_exit->op->gradient) return no_gradient(an_exit);
  const auto want = [&](const node* enter) {
    const edge& e = enter->inputs[0];
    if (const auto at = visits_.find(e.from); carries(e) && at != visits_.end() && at->second.leads_to_wanted)
      r.wanted.push_back(enter);
  };
  for (const loop_variable& v : loop.variables) want(v.enter);
  for (const node* c : loop.constants) want(c);
  gradient_call call{an_exit, {}, {}, {}, loops_, &r};
  an_exit->op->gradient(an_exit->attributes, call);
  for (const auto& [enter, g] : r.gradients) arrive(enter->inputs[0], g);
  return r.why;
}

// "w -> Round -> Mean": from the wanted handle through `n` to the loss.
FLOWGRAPH_SELDOM std::string detail::gradient_walk::path_through(const node* n) {
  std::string text;
  detail::sequence<const node*> back;
  for (const node* m = n; m; m = visits_[m].toward_wanted) back.push_back(m);
  for (auto m = back.rbegin(); m != back.rend(); ++m) text += message{(text.empty() ? "" : " -> "), (*m)->name};
  for (const node* m = visits_[n].toward_loss; m; m = visits_[m].toward_loss) text += message{" -> ", m->name};
  return text;
}

FLOWGRAPH_SELDOM error detail::gradient_walk::no_gradient([[maybe_unused]] const node* n) {
#ifdef FLOWGRAPH_INFERENCE
  return error(error_code::unimplemented, "this is a build for inference: ops carry no gradients");
#else
  return detail::invalid_argument({"op ", to_string(*n->op), " of node '", n->name, "' (", n->where.file_name(), ":",
                                   n->where.line(), ") is not differentiable; the path is ", path_through(n)});
#endif
}
// Returns a variable of an open loop at which the walk has ended, and whose first value depends on the handle.
FLOWGRAPH_SELDOM const detail::loop_variable* detail::gradient_walk::variable_that_depends_on(const any_out& x) const {
  for (std::uint32_t frame = loops_ ? frame_ : 0; frame != 0; frame = loops_->loop(frame).parent)
    for (const loop_variable& v : loops_->loop(frame).variables) {
      if (!visits_.contains(v.merge) && !visits_.contains(v.branch)) continue;
      detail::sequence<const node*> stack{v.enter};
      std::unordered_map<const node*, bool> seen;
      while (!stack.empty()) {
        const node* n = stack.back();
        stack.pop_back();
        if (n == x.source) return &v;
        if (!seen.emplace(n, true).second) continue;
        for (const edge& e : n->inputs) stack.push_back(e.from);
      }
    }
  return nullptr;
}
FLOWGRAPH_SELDOM error detail::gradient_walk::no_path(const any_out& x) {
  if (error why = check_reach(*x.source->graph, *x.source, x.name())) return why;
  const std::string loss = (options_.named_loss.source ? options_.named_loss : losses_[0]).name();
  if (const loop_variable* v = variable_that_depends_on(x))
    return error(
        error_code::invalid_argument,
        message{"the loss '", loss, "' depends on '", x.name(), "' only by a variable of the loop around ('", v->merge->name,
                "'), which is a value of its own in each iteration: take the gradient with respect to the ",
                "variable that the body is given, or take it of the result, outside of the loop"});
  return detail::invalid_argument({"the loss '", loss, "' does not depend on '", x.name(),
                                   "' through differentiable ops; ask with allow_none to get none instead"});
}

}  // namespace flowgraph
