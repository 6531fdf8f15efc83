#pragma once
// Assigns values from outside to variables: runs the nodes that assign initial values, and feeds other values to them.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/runtime/detail/assignable.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/runtime/session_state.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline bool gives_value_to(const node& n, const any_out& variable) {
  return n.inputs.size() == 2 && n.inputs[0].from == variable.source && n.inputs[0].port == variable.port;
}

// Returns the node that assigns the variable's initial value. For an imported variable, returns any node that assigns to it and has
// no control inputs.
FLOWGRAPH_COLD inline const node* assigner_of(const graph& g, const any_out& variable) {
  for (const node* n : g.initializers())
    if (gives_value_to(*n, variable)) return n;
  const graph_state& state = g.state();
  threading::lock_guard lock(state.mutex);
  for (const node* n : state.nodes)
    if (n->op->of_variable == variable_role::assign && n->body == 0 && n->control_inputs.empty() && gives_value_to(*n, variable))
      return n;
  return nullptr;
}

FLOWGRAPH_COLD inline error check_assigned(const any_out& variable, const node* assigner, const any_tensor& value) {
  if (!variable.is_usable()) return invalid_argument("an empty handle was given to assign");
  const auto refuse = [&](std::string why) {
    return error(error_code::invalid_argument, std::move(why))
        .at(variable.source->name, variable.source->op->name(), variable.source->where);
  };
  if (!assigner) return refuse(message{"'", variable.name(), "' is not a variable to which a node of its graph assigns a value"});
  const edge& given = assigner->inputs[1];
  const dtype type = variable.type() == dtype::resource ? given.from->outputs[given.port].type : variable.type();
  if (value.type() != type)
    return refuse(
        message{"the tensor assigned to '", variable.name(), "' must be ", name_of(type), ", found ", name_of(value.type())});
  const shape expected = variable.type() == dtype::resource ? given.from->outputs[given.port].shape : variable.shape();
  if (fits(value.shape(), expected)) return {};
  return refuse(message{"the tensor assigned to '", variable.name(), "' must have shape ", expected, ", found ", value.shape()});
}

}  // namespace detail

FLOWGRAPH_SELDOM result<void> session::try_assign(std::span<const fed> values, const run_options& options) {
  if (!state_) return detail::session_state::moved();
  if (error why = state_->graph.first_error()) return why;
  std::vector<any_out> variables;
  detail::sequence<const node*> assigners;
  for (const fed& f : values) {
    const auto found = detail::edge_of(state_->graph, f);
    if (!found) return found.error();
    const any_out& variable = *found;
    const bool is_here = variable.is_usable() && variable.source->graph == &state_->graph.state();
    const node* n = is_here ? detail::assigner_of(state_->graph, variable) : nullptr;
    if (error why = detail::check_assigned(variable, n, f.value)) return why;
    if (std::find(variables.begin(), variables.end(), variable) != variables.end())
      return detail::invalid_argument({"'", variable.name(), "' was named twice to assign"});
    const attribute_value keeps_shape = detail::attribute_of(*n, "validate_shape");
    const bool* const keeps = keeps_shape.get<bool>();
    if (error why = detail::check_assignable(resources(), variable, keeps && *keeps, f.value.shape())) return why;
    variables.push_back(variable);
    assigners.push_back(n);
  }
  // One run assigns all values, unless variables share an initial value, or an initial value is another variable: an edge is fed
  // only once per run.
  detail::sequence<bool> done(values.size());
  for (std::size_t left = values.size(); left > 0;) {
    detail::sequence<fed> feeds;
    std::vector<target> targets;
    std::vector<any_out> used;
    const auto is_used = [&](const any_out& o) { return std::find(used.begin(), used.end(), o) != used.end(); };
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (done[i]) continue;
      const edge& e = assigners[i]->inputs[1];
      const any_out given{e.from, e.port};
      if (is_used(given) || is_used(variables[i])) continue;
      used.insert(used.end(), {given, variables[i]});
      feeds.push_back({given, values[i].value});
      targets.push_back(const_cast<node*>(assigners[i]));
      done[i] = true;
      --left;
    }
    auto result = state_->run({feeds, {}, targets}, options);
    if (!result) return result.error();
  }
  return {};
}

FLOWGRAPH_SELDOM void session::assign(std::initializer_list<fed> values, const run_options& options) {
  assign(std::span<const fed>(values.begin(), values.size()), options);
}
FLOWGRAPH_SELDOM void session::assign(std::span<const fed> values, const run_options& options) {
  try_assign(values, options).value();
}

}  // namespace flowgraph
