#pragma once
// The nodes that optimizers add, in TensorFlow's names and order.

#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/array/identity.hpp>
#include <flowgraph/ops/state/scatter.hpp>
#include <flowgraph/ops/state/variable_behind.hpp>
#include <flowgraph/ops/array/unique.hpp>
#include <flowgraph/ops/lookup/table_anchor.hpp>
#include <flowgraph/train/optimizer.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The trainable variables of a graph whose gradients can exist, in order of creation: by reference, or handles. Then the anchors of
// its sparse tables.
std::vector<any_out> differentiable_variables(const graph& g);
// The node that names a variable: the handle's where it is behind one.
const node& naming_node(const node& n);
// "w" of the node "scope/w" while the scope is open, else the whole name.
std::string name_in_scope(const node& n);

error no_variable_error(const any_out& loss, const site& s);
error other_type_error(const any_out& loss, const any_out& variable, const site& s);
// Returns an error if the parameter is a handle, but not a scalar of the graph.
error hyperparameter_error(const graph& g, const hyperparameter& h, const site& s);
error unknown_shape_error(const any_out& variable, const site& s);
// Raises; without exceptions the graph keeps the error.
inline void refuse(const graph& g, const error& why) { refuse_construction(g.state(), why); }

// The edge by which a variable is trained.
template <class T> out<T> trained_edge(const any_out& v) {
  if (v.type() != dtype::resource) return {v.source, v.port};
  const auto result = variable_behind<T>(v);
  return result ? out<T>(*result) : out<T>();
}

template <class T> FLOWGRAPH_COLD trained_list<T> gradients_of_all(const out<T>& loss, const site& s) {
  if (!has_graph(loss, "gradients", s)) return {};
  const graph g = graph_of(*loss.source);
  const std::vector<any_out> variables = differentiable_variables(g);
  const auto parts = contributions_to(loss, variables, {.starts = {}, .stop = {}, .allow_none = true}, s);
  trained_list<T> result;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (parts[i].empty()) continue;
    if (gradient_type(variables[i]) != dtype_of<T>) refuse(g, other_type_error(loss, variables[i], s));
    else result.push_back({trained_edge<T>(variables[i]), grad<T>{accumulate<T>(parts[i])}});
  }
  if (result.empty()) refuse(g, no_variable_error(loss, s));
  return result;
}

template <class T> trained_list<T> gradients_of_these(const loss_argument& loss, std::span<const any_out> variables) {
  const auto parts = loss.walk(loss.handle, variables, loss.where);
  trained_list<T> result;
  for (std::size_t i = 0; i < variables.size(); ++i)
    result.push_back({out<T>{variables[i].source, variables[i].port}, grad<T>{accumulate<T>(parts[i])}});
  return result;
}

// The names of one optimizer's nodes, "Adam/beta1", "Adam/update_w/ApplyAdam", and the group of its updates, "Adam" itself.
class named_updates {
public:
  named_updates(const graph& g, std::string_view wished, const site& s);

  // A site named "Adam/part", or "Adam/update_w/part". Valid until the next call.
  site at(std::string_view part);
  site at(const any_out& of, std::string_view part);

  void add(target update);
  graph::scope after_all();  // nodes made while it lives come after every update
  target finish();

  bool owns_gradients = false;  // see table_update_request

protected:
  graph graph_;
  std::string name_, full_;
  site site_;
  std::vector<target> updates_;
};

// A table whose rows are updated, with a part of an update that `add_table_update` completes. Raises an error if the gradient does
// not name rows, or if the table has no such rule.
void add_table_update(named_updates& nodes, const any_out& anchor, const any_grad& gradient, table_update_request request);
error no_table_rule_error(const any_out& anchor, std::string_view method, const site& s);

inline constexpr variable_options not_trained{.trainable = false};

// Adds the nodes of one optimizer.
template <class T> class training_nodes : public named_updates {
public:
  using named_updates::named_updates;

  // The scalar as a T, for the whole optimizer.
  out<T> scalar(const hyperparameter& h, std::string_view part) {
    if (const error why = hyperparameter_error(graph_, h, at(part))) {
      refuse(graph_, why);
      return {&graph_.state().poison, 0};
    }
    if (!h.is_handle) return constant_in(graph_.state(), tensor<T>(number_of<T>(static_cast<double>(h.value))), at(part));
    if constexpr (std::is_same_v<T, float>) return {h.handle.source, h.handle.port};
    else return cast<T>(out<float>{h.handle.source, h.handle.port}, at(part));
  }
  // A variable that begins as the scalar, whose nodes in the update are not asked.
  flowgraph::variable<T> power(const hyperparameter& h, std::string_view wished, const out<T>& given) {
    const site here{{}, site_.location};
    if (h.is_handle) return graph_.variable(wished, initial_value(given), not_trained, here);
    return graph_.variable(wished, constant<T>(shape{}, number_of<T>(static_cast<double>(h.value))), not_trained, here);
  }
  // What belongs to a variable, beside it and on its device: "w/Adam". It begins with the value everywhere.
  flowgraph::variable<T> slot(const out<T>& of, std::string_view part, double first = 0) {
    if (!of.shape().is_known()) {
      refuse(graph_, unknown_shape_error(of, site_));
      return {};
    }
    const owned_nodes beside(naming_node(*of.source));
    const auto there = graph_.on_device(of.source->device);
    return graph_.variable(part, initializer<T>{of.shape(), &build_filled<T>, first}, not_trained, {{}, site_.location});
  }
  // Each row named once, with the sum of its values.
  indexed_slices<T> deduplicated(const out<T>& of, const indexed_slices<T>& s) {
    const auto [rows, index] = unique(s.indices, at(of, "Unique"));
    const out<std::int32_t> count = size_of(rows, at(of, "Size"));
    return {unsorted_segment_sum(s.values, index, count, at(of, "UnsortedSegmentSum")), rows, s.dense_shape};
  }
};

template <class T> FLOWGRAPH_COLD void add_updates(training_nodes<T>& nodes, const sgd& method, const trained_list<T>& list) {
  const out<T> rate = nodes.scalar(method.rate, "learning_rate");
  for (const trained<T>& t : list) {
    const out<T>& w = t.variable;
    if (t.gradient.is_none()) continue;
    if (t.gradient.is_slices()) {
      const indexed_slices<T> s = t.gradient.slices();
      const out<T> step = apply(mul_op{}, s.values, rate, nodes.at(w, "mul"));
      nodes.add(apply(scatter_sub_op{}, w, s.indices, step, nodes.at(w, "ScatterSub")));
    } else {
      nodes.add(apply(apply_gradient_descent_op{}, w, rate, out<T>(t.gradient), nodes.at(w, "ApplyGradientDescent")));
    }
  }
}

template <class T>
FLOWGRAPH_COLD void add_updates(training_nodes<T>& nodes, const momentum& method, const trained_list<T>& list) {
  const out<T> rate = nodes.scalar(method.rate, "learning_rate"), keep = nodes.scalar(method.momentum, "momentum");
  const auto looking = [&](auto op) {
    op.use_nesterov = method.nesterov;
    return op;
  };
  for (const trained<T>& t : list) {
    if (t.gradient.is_none()) continue;
    const out<T>& w = t.variable;
    const flowgraph::variable<T> accum = nodes.slot(w, "Momentum");
    if (!accum.source) continue;
    if (t.gradient.is_slices()) {
      const indexed_slices<T> s = nodes.deduplicated(w, t.gradient.slices());
      nodes.add(apply(nodes.at(w, "SparseApplyMomentum"), looking(sparse_apply_momentum_op{}), w, accum, rate, s.values,
                      s.indices, keep));
    } else {
      nodes.add(apply(nodes.at(w, "ApplyMomentum"), looking(apply_momentum_op{}), w, accum, rate, out<T>(t.gradient), keep));
    }
  }
}

// The powers of the betas belong to all variables of the optimizer, and grow after the last of them has been updated.
template <class T>
std::array<target, 2> grown_powers(training_nodes<T>& nodes, const flowgraph::variable<T>& power1, const out<T>& beta1,
                                   const flowgraph::variable<T>& power2, const out<T>& beta2) {
  const auto after = nodes.after_all();
  const auto grown = [&](const out<T>& power, const out<T>& beta) {
    const out<T> next = apply(mul_op{}, power, beta, nodes.at("mul"));
    return target(apply(assign_op{}, power, next, nodes.at("Assign")));
  };
  return {grown(power1, beta1), grown(power2, beta2)};
}

template <class T> FLOWGRAPH_COLD void add_updates(training_nodes<T>& nodes, const adam& method, const trained_list<T>& list) {
  const out<T> rate = nodes.scalar(method.rate, "learning_rate"), epsilon = nodes.scalar(method.epsilon, "epsilon");
  const out<T> beta1 = nodes.scalar(method.beta1, "beta1"), beta2 = nodes.scalar(method.beta2, "beta2");
  const auto power1 = nodes.power(method.beta1, "beta1_power", beta1), power2 = nodes.power(method.beta2, "beta2_power", beta2);
  for (const trained<T>& t : list) {
    if (t.gradient.is_none()) continue;
    const out<T>& w = t.variable;
    const flowgraph::variable<T> m = nodes.slot(w, "Adam"), v = nodes.slot(w, "Adam");
    if (!m.source || !v.source) continue;
    const out<T> gradient = t.gradient;
    nodes.add(apply(nodes.at(w, "ApplyAdam"), apply_adam_op{}, w, m, v, power1, power2, rate, beta1, beta2, epsilon, gradient));
  }
  for (const target& t : grown_powers(nodes, power1, beta1, power2, beta2)) nodes.add(t);
}

// The updates of tables by the common optimizers: only of the rows that the gradients name.
template <class T>
FLOWGRAPH_COLD void add_table_updates(training_nodes<T>& nodes, const sgd& method, const trained_list<T>& tables) {
  const out<T> scalars[]{nodes.scalar(method.rate, "learning_rate")};
  for (const trained<T>& t : tables)
    add_table_update(nodes, t.variable, t.gradient.parts(), {.rule = "GradientDescent", .scalars = scalars});
}
template <class T>
FLOWGRAPH_COLD void add_table_updates(training_nodes<T>& nodes, const momentum& method, const trained_list<T>& tables) {
  const out<T> scalars[]{nodes.scalar(method.rate, "learning_rate"), nodes.scalar(method.momentum, "momentum")};
  for (const trained<T>& t : tables)
    add_table_update(nodes, t.variable, t.gradient.parts(),
                     {.rule = "Momentum", .scalars = scalars, .use_nesterov = method.nesterov});
}
template <class T, class Method>
FLOWGRAPH_COLD void add_lazy_table_updates(training_nodes<T>& nodes, const Method& method, const trained_list<T>& tables) {
  const out<T> beta1 = nodes.scalar(method.beta1, "beta1"), beta2 = nodes.scalar(method.beta2, "beta2");
  const auto power1 = nodes.power(method.beta1, "beta1_power", beta1), power2 = nodes.power(method.beta2, "beta2_power", beta2);
  const out<T> scalars[]{power1, power2, nodes.scalar(method.rate, "learning_rate"),
                         beta1,  beta2,  nodes.scalar(method.epsilon, "epsilon")};
  for (const trained<T>& t : tables)
    add_table_update(nodes, t.variable, t.gradient.parts(), {.rule = "Adam", .scalars = scalars});
  for (const target& t : grown_powers(nodes, power1, beta1, power2, beta2)) nodes.add(t);
}
template <class T>
FLOWGRAPH_COLD void add_table_updates(training_nodes<T>& nodes, const adam& method, const trained_list<T>& tables) {
  add_lazy_table_updates(nodes, method, tables);
}

template <class T, class Method>
target train_with(const Method& method, const trained_list<T>& list, const site& s, bool owns_gradients) {
  if (list.empty()) return {};
  for (const trained<T>& t : list)
    if (!has_graph(t.variable, Method::name, s)) return {};
  const graph g = graph_of(*list.front().variable.source);
  training_nodes<T> nodes(g, s.name.empty() ? Method::name : s.name, s);
  nodes.owns_gradients = owns_gradients;
  if constexpr (requires { Method::takes_tables; }) {
    add_updates(nodes, method, list);
  } else if constexpr (std::is_same_v<T, float>) {
    trained_list<T> variables, tables;
    for (const trained<T>& t : list) (anchor_op_of(t.variable) ? tables : variables).push_back(t);
    if (!variables.empty()) add_updates(nodes, method, variables);
    if constexpr (requires { add_table_updates(nodes, method, tables); }) {
      if (!tables.empty()) add_table_updates(nodes, method, tables);
    } else if (!tables.empty()) {
      refuse(g, no_table_rule_error(tables.front().variable, Method::name, s));
    }
  } else {
    add_updates(nodes, method, list);
  }
  return nodes.finish();
}

}  // namespace flowgraph::detail
