#pragma once

#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/train/detail/optimizer.hpp>
#include <flowgraph/train/moving_average.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE any_out detail::initial_value_of(const any_out& variable) {
  if (!variable.is_usable()) return {};
  for (node* assign : graph_of(*variable.source).initializers()) {
    if (assign->inputs.size() < 2 || assign->inputs[0].from != variable.source || assign->inputs[0].port != variable.port)
      continue;
    return {assign->inputs[1].from, assign->inputs[1].port};
  }
  // The value of a variable behind a handle may come from a file, so the average begins with the present value.
  return variable.source->op->of_variable == variable_role::of_handle ? variable : any_out();
}

FLOWGRAPH_INLINE node* detail::initializer_of(const node& variable) {
  for (node* assign : graph_of(variable).initializers())
    if (!assign->inputs.empty() && assign->inputs[0].from == &variable) return assign;
  return nullptr;
}

FLOWGRAPH_INLINE node* detail::variable_beside(const any_out& of, std::string_view name, dtype type) {
  if (!of.is_usable()) return nullptr;
  node* const found = graph_of(*of.source).find(message{naming_node(*of.source).name, '/', name}.string());
  const bool fits = found && !found->outputs.empty() && found->outputs[0].is_reference && found->outputs[0].type == type;
  return fits ? found : nullptr;
}

FLOWGRAPH_INLINE error detail::no_average_error(const any_out& of, std::string_view name, const site& s) {
  return error(error_code::not_found,
               message{"'", of.name(), "' has no average '", of.source->name, '/', name, "': apply makes it"})
      .at(s.location);
}

FLOWGRAPH_INLINE out<float> detail::average_nodes::make_rate() {
  const hyperparameter& decay = method_->decay;
  if (const error why = hyperparameter_error(graph_, decay, at("decay"))) { return {refused_node(graph_.state(), why), 0}; }
  if (!decay.is_handle && !method_->num_updates.source)
    return constant_in(graph_.state(), tensor<float>(1 - decay.value), at("AssignMovingAvg/decay"));
  out<float> result{decay.handle.source, decay.handle.port};
  if (!result.source) result = constant_in(graph_.state(), tensor<float>(decay.value), at("decay"));
  if (method_->num_updates.source) {
    const any_out n = method_->num_updates;
    out<float> count;
    switch (n.type()) {
      case dtype::int32: count = cast<float>(out<std::int32_t>{n.source, n.port}, at("num_updates")); break;
      case dtype::int64: count = cast<float>(out<std::int64_t>{n.source, n.port}, at("num_updates")); break;
      case dtype::float32: count = {n.source, n.port}; break;
      default:
        refuse(graph_, detail::invalid_argument({"num_updates is ", name_of(n.type()), "; expected int32, int64 or float"})
                           .at(site_.location));
        return result;
    }
    result = minimum(result, (count + 1.f) / (count + 10.f));
  }
  return 1.f - result;
}

}  // namespace flowgraph
