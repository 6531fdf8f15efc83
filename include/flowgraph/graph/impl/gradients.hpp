#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/body_scope.hpp>
#include <flowgraph/graph/gradient_walk.hpp>
#include <flowgraph/graph/gradients.hpp>
#include <flowgraph/graph/graph_state.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Makes a call of `gradients` the innermost one.
class gradients_in_progress {
public:
  explicit gradients_in_progress(graph_state& g) : graph_(g), around_(std::exchange(g.differentiation, {})) {}
  ~gradients_in_progress() { graph_.differentiation = std::move(around_); }
  gradients_in_progress(const gradients_in_progress&) = delete;
  gradients_in_progress& operator=(const gradients_in_progress&) = delete;

private:
  graph_state& graph_;
  differentiation_state around_;
};

// A variable behind a handle may also be read by handle, so its gradient is that of the handle.
inline sequence<any_out> by_handle(std::span<const any_out> with_respect_to) {
  sequence<any_out> result;
  for (const any_out& x : with_respect_to) {
    const bool is_behind = x.is_usable() && x.source->op->of_variable == variable_role::of_handle;
    result.push_back(is_behind ? any_out{x.source->inputs[0].from, x.source->inputs[0].port} : x);
  }
  return result;
}

}  // namespace detail

FLOWGRAPH_SELDOM dtype detail::gradient_type(const any_out& x) {
  const bool is_handle = x.is_usable() && x.source->op->of_variable == variable_role::handle;
  return is_handle ? x.source->op->types()[0].type : x.type();
}

FLOWGRAPH_SELDOM result<detail::sequence<gradient_list>> gradient_contributions(std::span<const any_out> losses,
                                                                                std::span<const any_out> with_respect_to,
                                                                                const gradient_options& options, const site& s) {
  auto refuse = [&](std::string message) {
    return error(error_code::invalid_argument, std::move(message)).at(options.caller, options.caller, s.location);
  };
  for (const any_out& y : losses) {
    if (!y.source || (!y.source->is_poison() && !is_differentiable(y.type())))
      return refuse(message{"a loss must be a handle on floating or complex numbers, found ", y.name()});
    if (y.source->graph != losses[0].source->graph) return refuse("the losses belong to different graphs");
  }
  for (const any_out& x : with_respect_to)
    if (!x.source || losses.empty() || x.source->graph != losses[0].source->graph)
      return refuse(message{"gradients with respect to ", x.name(), ", which is not a handle of the graph of the loss"});
  if (options.starts.size() < losses.size()) return refuse("gradients of losses without starting gradients");
  for (const any_out& y : losses)
    if (y.source->is_poison()) return detail::sequence<gradient_list>(with_respect_to.size(), gradient_list{y});
  if (losses.empty()) return detail::sequence<gradient_list>();
  for (const any_out& y : losses)
    if (error why = detail::check_reach(*y.source->graph, *y.source, y.name()))
      return why.at(options.caller, options.caller, s.location);
  detail::inherited_location here(losses[0].source->graph, s.location);
  const detail::open_to_closed_bodies inside(*losses[0].source->graph);
  const detail::gradients_in_progress call(*losses[0].source->graph);
  const detail::sequence<any_out> wanted = detail::by_handle(with_respect_to);
  auto result = detail::gradient_walk(losses, {wanted.data(), wanted.size()}, options).run();
  if (!result) return result.error().at(options.caller, options.caller, s.location);
  return result;
}

FLOWGRAPH_SELDOM detail::sequence<gradient_list> detail::contributions_or_raise(std::span<const any_out> losses,
                                                                                std::span<const any_out> with_respect_to,
                                                                                const gradient_options& options, const site& s) {
  auto result = gradient_contributions(losses, with_respect_to, options, s);
  if (result) return *std::move(result);
#ifdef FLOWGRAPH_EXCEPTIONS
  raise(result.error());
#else
  graph_state* const g = losses[0].source ? losses[0].source->graph : nullptr;
  if (g) refuse_construction(*g, result.error());
  return detail::sequence<gradient_list>(with_respect_to.size(), gradient_list{any_out{g ? &g->poison : nullptr, 0}});
#endif
}

}  // namespace flowgraph
