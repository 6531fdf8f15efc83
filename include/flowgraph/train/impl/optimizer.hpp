#pragma once

#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/train/optimizer.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_SELDOM std::vector<any_out> detail::differentiable_variables(const graph& g) {
  std::vector<any_out> all = g.trainable_variables();
  std::erase_if(all, [](const any_out& v) {
    const bool is_variable = v.source->outputs[v.port].is_reference || v.source->op->of_variable == variable_role::handle;
    return !is_variable || !is_differentiable(gradient_type(v));
  });
  const threading::lock_guard lock(g.state().mutex);
  for (node* const n : g.state().nodes)
    if (const any_out anchor{n, 0}; anchor_op_of(anchor)) all.push_back(anchor);
  return all;
}

FLOWGRAPH_SELDOM const node& detail::naming_node(const node& n) {
  return !n.is_poison() && n.op->of_variable == variable_role::of_handle ? *n.inputs[0].from : n;
}

FLOWGRAPH_SELDOM std::string detail::name_in_scope(const node& n) {
  if (n.is_poison()) return "poison";
  const std::string& prefix = n.graph->scope.prefix;
  const std::string_view name = naming_node(n).name;
  return std::string(name.starts_with(prefix) ? name.substr(prefix.size()) : name);
}

FLOWGRAPH_SELDOM detail::named_updates::named_updates(const graph& g, std::string_view wished, const site& s)
    : graph_(g), name_(g.state().free_name(g.state().scope.prefix, wished)), site_(s) {}

FLOWGRAPH_SELDOM site detail::named_updates::at(std::string_view part) {
  full_ = message{name_, '/', part};
  return {full_, site_.location};
}
FLOWGRAPH_SELDOM site detail::named_updates::at(const any_out& of, std::string_view part) {
  return at(message{"update_", name_in_scope(*of.source), '/', part}.string());
}

FLOWGRAPH_SELDOM void detail::named_updates::add(target update) { updates_.push_back(update); }
FLOWGRAPH_SELDOM graph::scope detail::named_updates::after_all() { return graph_.after_all(updates_); }
FLOWGRAPH_SELDOM target detail::named_updates::finish() { return group(graph_, updates_, {name_, site_.location}); }

FLOWGRAPH_SELDOM error detail::no_variable_error(const any_out& loss, const site& s) {
  return detail::invalid_argument({"the loss '", loss.name(), "' depends on no variable through differentiable ops"})
      .at(s.location);
}
FLOWGRAPH_SELDOM error detail::other_type_error(const any_out& loss, const any_out& variable, const site& s) {
  return detail::invalid_argument({"the loss '", loss.name(), "' is ", name_of(loss.type()), " and depends on '", variable.name(),
                                   "', which is ", name_of(gradient_type(variable)),
                                   ": name the variables of each type, minimize(loss, v, ...)"})
      .at(s.location);
}
FLOWGRAPH_SELDOM error detail::hyperparameter_error(const graph& g, const hyperparameter& h, const site& s) {
  if (!h.is_handle) return {};
  const auto refused = [&](const message& why) { return detail::invalid_argument(why).at(s.name, "hyperparameter", s.location); };
  if (!h.handle.source) return refused({"the hyperparameter is an empty handle"});
  if (h.handle.source->graph == &g.state() && fits(h.handle.shape(), shape{})) return {};
  return refused({"the hyperparameter must be a scalar of the graph; found ", h.handle.name(), " of shape ", h.handle.shape(),
                  h.handle.source->graph == &g.state() ? "" : " of another graph"});
}
FLOWGRAPH_SELDOM error detail::unknown_shape_error(const any_out& variable, const site& s) {
  return detail::invalid_argument({"variable '", variable.name(), "' has shape ", variable.shape(),
                                   "; the optimizer's own variables need a known shape"})
      .at(s.location);
}

FLOWGRAPH_SELDOM error detail::no_table_rule_error(const any_out& anchor, std::string_view method, const site& s) {
  return error(error_code::unimplemented,
               message{"the optimizer ", method, " has no rule for the sparse table of '", anchor.name(), "'"})
      .at(s.location);
}
FLOWGRAPH_SELDOM void detail::add_table_update(named_updates& nodes, const any_out& anchor, const any_grad& gradient,
                                               table_update_request request) {
  if (gradient.kind == any_grad::form::absent) return;
  const graph g = graph_of(*anchor.source);
  const site here = nodes.at(anchor, message{"SparseTableApply", request.rule}.string());
  if (gradient.kind != any_grad::form::slices)
    return refuse(
        g, detail::invalid_argument({"the gradient of the sparse table of '", anchor.name(), "' must name rows, but it is dense"})
               .at(here.location));
  const edge& table = anchor.source->inputs[0];
  const any_slices& s = gradient.slices;
  request.table = {table.from, table.port};
  request.gradients = {s.values.source, s.values.port};
  request.keys = {s.indices.source, s.indices.port};
  request.owns_gradients = nodes.owns_gradients;
  const sparse_table_anchor_op* const op = anchor_op_of(anchor);
  const target result = op->add_update ? op->add_update(request, here) : target();
  if (result.source) nodes.add(result);
  else refuse(g, no_table_rule_error(anchor, request.rule, here));
}

}  // namespace flowgraph
