#pragma once

#include <flowgraph/graph/gradients.hpp>
#include <flowgraph/graph/graph_state.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The part of the graph between the losses and the handles asked for, and what has arrived at each output so far.
class gradient_walk {
public:
  gradient_walk(std::span<const any_out> losses, std::span<const any_out> wanted, const gradient_options& options)
      : losses_(losses), wanted_(wanted), options_(options) {}

  result<std::vector<gradient_list>> run() {
    collect();
    mark();
    for (std::size_t i = 0; i < losses_.size(); ++i) arrive({losses_[i].source, losses_[i].port}, options_.starts[i]);
    for (const node* n : order_)
      if (error why = pass_on(n)) return why;
    std::vector<gradient_list> made;
    for (const any_out& x : wanted_) {
      const auto at = arrived_.find(x.source);
      made.push_back(at == arrived_.end() ? gradient_list{} : at->second[x.port]);
      if (made.back().empty() && !options_.allow_none) return no_path(x);
    }
    return made;
  }

private:
  struct visit {
    bool leads_to_wanted = false;
    const node* toward_loss = nullptr;    // the consumer through which the walk came
    const node* toward_wanted = nullptr;  // an input that depends on a wanted handle
  };

  static bool carries(const edge& e) { return is_differentiable(e.from->outputs[e.port].type); }
  bool stops(const edge& e) const {
    return std::any_of(options_.stop.begin(), options_.stop.end(),
                       [&](const any_out& s) { return s.source == e.from && s.port == e.port; });
  }

  // Every node from which a loss can be reached, latest first. Ids grow with creation, so an input stands after its consumer;
  // the back edges of loops are the exception that the loops' own rule will treat.
  void collect() {
    std::vector<const node*> stack;
    for (const any_out& y : losses_)
      if (!y.source->is_poison() && visits_.try_emplace(y.source).second) stack.push_back(y.source);
    while (!stack.empty()) {
      const node* n = stack.back();
      stack.pop_back();
      order_.push_back(n);
      for (const edge& e : n->inputs) {
        if (!carries(e) || stops(e)) continue;
        auto [at, fresh] = visits_.try_emplace(e.from);
        if (!fresh) continue;
        at->second.toward_loss = n;
        stack.push_back(e.from);
      }
    }
    std::sort(order_.begin(), order_.end(), [](const node* a, const node* b) { return a->id > b->id; });
  }

  void mark() {
    for (const any_out& x : wanted_)
      if (const auto at = visits_.find(x.source); at != visits_.end()) at->second.leads_to_wanted = true;
    for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
      visit& v = visits_[*at];
      for (const edge& e : (*at)->inputs) {
        if (!carries(e) || stops(e)) continue;
        if (!visits_[e.from].leads_to_wanted) continue;
        v.leads_to_wanted = true;
        v.toward_wanted = e.from;
      }
    }
  }

  void arrive(const edge& e, const any_grad& g) {
    if (!g) return;
    auto& ports = arrived_[e.from];
    if (ports.empty()) ports.resize(e.from->outputs.size());
    ports[e.port].push_back(g);
  }

  error pass_on(const node* n) {
    const auto at = arrived_.find(n);
    if (at == arrived_.end()) return {};
    const visit& v = visits_[n];
    if (!v.toward_wanted) return {};  // a wanted handle itself, or a constant of the problem
    graph owner(n->graph->shared_from_this());
    auto in = owner.in_scope(words{"gradients/", n->name, "_grad"}.string());
    gradient_list made;
    if (const auto body = owner.replaced_gradient(n->op->name)) {
      gradient_list sums;
      for (std::uint32_t port = 0; port < n->outputs.size(); ++port)
        sums.push_back(sum_of({const_cast<node*>(n), port}, at->second[port]));
      body(*n, sums, made);
    } else if (n->op->gradient) {
      gradient_call call{n, at->second, {}};
      n->op->gradient(n->attributes, call);
      made = std::move(call.result);
    } else {
      return no_gradient(n);
    }
    for (std::size_t i = 0; i < made.size() && i < n->inputs.size(); ++i)
      if (carries(n->inputs[i]) && !stops(n->inputs[i]) && visits_.contains(n->inputs[i].from)) arrive(n->inputs[i], made[i]);
    return {};
  }

  static any_grad sum_of(any_out y, const gradient_list& parts) {
    any_grad sum;
    if (y.source->op->sum) y.source->op->sum(*y.source, y.port, parts, sum);
    return sum;
  }

  // "w -> Round -> Mean": from the wanted handle through `n` to the loss.
  std::string path_through(const node* n) {
    std::string text;
    std::vector<const node*> back;
    for (const node* m = n; m; m = visits_[m].toward_wanted) back.push_back(m);
    for (auto m = back.rbegin(); m != back.rend(); ++m) text += words{(text.empty() ? "" : " -> "), (*m)->name};
    for (const node* m = visits_[n].toward_loss; m; m = visits_[m].toward_loss) text += words{" -> ", m->name};
    return text;
  }

  FLOWGRAPH_COLD error no_gradient([[maybe_unused]] const node* n) {
#ifdef FLOWGRAPH_INFERENCE
    return error(error_code::unimplemented, "this is a build for inference: ops carry no gradients");
#else
    return error(error_code::invalid_argument,
                 words{"op ", to_string(*n->op), " of node '", n->name, "' (", n->where.file_name(), ":", n->where.line(),
                        ") is not differentiable; the path is ", path_through(n)});
#endif
  }
  FLOWGRAPH_COLD error no_path(const any_out& x) {
    return error(error_code::invalid_argument, words{"the loss '", losses_[0].name(), "' does not depend on '", x.name(),
                                                      "' through differentiable ops; ask with allow_none to get none instead"});
  }

  std::span<const any_out> losses_, wanted_;
  const gradient_options& options_;
  std::vector<const node*> order_;
  std::unordered_map<const node*, visit> visits_;
  std::unordered_map<const node*, std::vector<gradient_list>> arrived_;
};

// One call for gradients, as the ops see it.
class gradients_in_progress {
public:
  explicit gradients_in_progress(graph_state& g) : graph_(g), before_(std::exchange(g.gradient_source, {})) {}
  ~gradients_in_progress() { graph_.gradient_source = std::move(before_); }
  gradients_in_progress(const gradients_in_progress&) = delete;
  gradients_in_progress& operator=(const gradients_in_progress&) = delete;

private:
  graph_state& graph_;
  std::string before_;
};

}  // namespace detail

FLOWGRAPH_INLINE result<std::vector<gradient_list>> gradient_contributions(std::span<const any_out> losses,
                                                                           std::span<const any_out> with_respect_to,
                                                                           const gradient_options& options, const site& s) {
  auto refuse = [&](std::string message) { return error(error_code::invalid_argument, std::move(message)).at(s.location); };
  for (const any_out& y : losses) {
    if (!y.source || (!y.source->is_poison() && !is_differentiable(y.type())))
      return refuse(words{"a loss must be a handle on floating or complex numbers, found ", y.name()});
    if (y.source->graph != losses[0].source->graph) return refuse("the losses belong to different graphs");
  }
  for (const any_out& x : with_respect_to)
    if (!x.source || losses.empty() || x.source->graph != losses[0].source->graph)
      return refuse(words{"gradients with respect to ", x.name(), ", which is no handle on the graph of the loss"});
  if (options.starts.size() < losses.size()) return refuse("gradients of losses without starting gradients");
  for (const any_out& y : losses)
    if (y.source->is_poison()) return std::vector<gradient_list>(with_respect_to.size(), gradient_list{y});
  if (losses.empty()) return std::vector<gradient_list>();
  detail::inherited_location here(losses[0].source->graph, s.location);
  const detail::gradients_in_progress call(*losses[0].source->graph);
  auto made = detail::gradient_walk(losses, with_respect_to, options).run();
  if (!made) return made.error().at("gradients", "gradients", s.location);
  return made;
}

FLOWGRAPH_INLINE std::vector<gradient_list> detail::contributions_or_raise(std::span<const any_out> losses,
                                                                           std::span<const any_out> with_respect_to,
                                                                           const gradient_options& options, const site& s) {
  auto made = gradient_contributions(losses, with_respect_to, options, s);
  if (made) return *std::move(made);
#ifdef FLOWGRAPH_EXCEPTIONS
  raise(made.error());
#else
  graph_state* const g = losses[0].source ? losses[0].source->graph : nullptr;
  if (g) refuse_construction(*g, made.error());
  return std::vector<gradient_list>(with_respect_to.size(), gradient_list{any_out{g ? &g->poison : nullptr, 0}});
#endif
}

}  // namespace flowgraph
