#pragma once
// Optimizers that adapt their steps to the size of past gradients: Adagrad, Adagrad with dual averaging, and Adadelta.
//
//     auto train = fg::adagrad{.rate = 0.1f}.minimize(loss);

#include <flowgraph/ops/training/adagrad.hpp>
#include <flowgraph/train/detail/update.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// train/optimizer.hpp describes the members that every optimizer has.

// Adagrad (Duchi et al., 2011): accum += gradient^2; w -= rate * gradient / sqrt(accum). Its state is in the variable
// "w/Adagrad".
struct adagrad {
  static constexpr std::string_view name = "Adagrad";
  hyperparameter rate;               // learning rate, as a number or a scalar of the graph
  float initial_accumulator = 0.1f;  // initial value of the sums of squares

  FLOWGRAPH_OPTIMIZER_MEMBERS
};

// Adagrad with dual averaging. Each step computes the variables only from the sum of all gradients and the sum of their squares,
// not from the previous values of the variables. If l1 is positive, many weights become exactly zero. `global_step` is the number
// of earlier steps; without it, the optimizer counts the steps itself. Supports float and double.
struct adagrad_da {
  static constexpr std::string_view name = "AdagradDA";
  hyperparameter rate;                 // learning rate, as a number or a scalar of the graph
  out<std::int64_t> global_step = {};  // counter of steps in the graph; empty: the optimizer creates a counter
  float initial_accumulator = 0.1f;    // initial value of the sums of squares
  hyperparameter l1 = 0;               // strength of the L1 regularization
  hyperparameter l2 = 0;               // strength of the L2 regularization

  FLOWGRAPH_OPTIMIZER_MEMBERS
};

// Adadelta (Zeiler, 2012): each gradient is multiplied by the ratio of the size of past steps to the size of past gradients. The
// first steps are small.
struct adadelta {
  static constexpr std::string_view name = "Adadelta";
  hyperparameter rate = 1e-3f;     // learning rate, as a number or a scalar of the graph
  hyperparameter rho = 0.95f;      // decay factor of the running means
  hyperparameter epsilon = 1e-8f;  // added to the means before their roots are taken

  FLOWGRAPH_OPTIMIZER_MEMBERS
};

namespace detail {

template <class T> void add_updates(training_nodes<T>& nodes, const adagrad& method, const trained_list<T>& list) {
  if (!begins_positive(nodes, list, method.initial_accumulator)) return;
  const out<T> rate = nodes.scalar(method.rate, "learning_rate");
  for (const trained<T>& t : list) {
    if (t.gradient.is_none()) continue;
    const out<T>& w = t.variable;
    const flowgraph::variable<T> accum = nodes.slot(w, "Adagrad", method.initial_accumulator);
    if (!accum.source) continue;
    add_update<adagrad_update>(
        nodes, t, [&](site s, auto op, const auto&... gradient) { return flowgraph::apply(s, op, w, accum, rate, gradient...); });
  }
}

template <class T> void add_table_updates(training_nodes<T>& nodes, const adagrad& method, const trained_list<T>& tables) {
  if (!begins_positive(nodes, tables, method.initial_accumulator)) return;
  const out<T> scalars[]{nodes.scalar(method.rate, "learning_rate")};
  for (const trained<T>& t : tables)
    add_table_update(nodes, t.variable, t.gradient.parts(),
                     {.rule = "Adagrad", .scalars = scalars, .initial_state = method.initial_accumulator});
}

template <class T> void add_updates(training_nodes<T>& nodes, const adagrad_da& method, const trained_list<T>& list) {
  if (!begins_positive(nodes, list, method.initial_accumulator)) return;
  graph g = graph_of(*list.front().variable.source);
  const out<T> rate = nodes.scalar(method.rate, "learning_rate");
  const out<T> l1 = nodes.scalar(method.l1, "l1_regularization_strength");
  const out<T> l2 = nodes.scalar(method.l2, "l2_regularization_strength");
  const out<std::int64_t> one = constant_in(g.state(), tensor<std::int64_t>(1), nodes.at("one"));
  flowgraph::variable<std::int64_t> counted;
  if (!method.global_step.source)
    counted = g.variable("global_step", zeros<std::int64_t>({}), not_trained, {{}, nodes.at("").location});
  const out<std::int64_t> before = counted.source ? out<std::int64_t>(counted) : method.global_step;
  const out<std::int64_t> step = flowgraph::apply(add_v2_op{}, before, one, nodes.at("add"));
  for (const trained<T>& t : list) {
    if (t.gradient.is_none()) continue;
    const out<T>& w = t.variable;
    const flowgraph::variable<T> sum = nodes.slot(w, "AdagradDA");
    const flowgraph::variable<T> squares = nodes.slot(w, "AdagradDA", method.initial_accumulator);
    if (!sum.source || !squares.source) continue;
    add_update<adagrad_da_update>(nodes, t, [&](site s, auto op, const auto&... gradient) {
      return flowgraph::apply(s, op, w, sum, squares, gradient..., rate, l1, l2, step);
    });
  }
  if (!counted.source) return;
  target grown;
  {
    const auto after = nodes.after_all();
    grown = flowgraph::apply(assign_op{}, counted, step, nodes.at("Assign"));
  }
  nodes.add(grown);
}

template <class T> void add_updates(training_nodes<T>& nodes, const adadelta& method, const trained_list<T>& list) {
  const out<T> rate = nodes.scalar(method.rate, "lr"), rho = nodes.scalar(method.rho, "rho");
  const out<T> epsilon = nodes.scalar(method.epsilon, "epsilon");
  for (const trained<T>& t : list) {
    if (t.gradient.is_none()) continue;
    const out<T>& w = t.variable;
    const flowgraph::variable<T> accum = nodes.slot(w, "Adadelta"), updates = nodes.slot(w, "Adadelta");
    if (!accum.source || !updates.source) continue;
    add_update<adadelta_update>(nodes, t, [&](site s, auto op, const auto&... gradient) {
      return flowgraph::apply(s, op, w, accum, updates, rate, rho, epsilon, gradient...);
    });
  }
}

template <class T> void add_table_updates(training_nodes<T>& nodes, const adadelta& method, const trained_list<T>& tables) {
  const out<T> scalars[]{nodes.scalar(method.rate, "lr"), nodes.scalar(method.rho, "rho"),
                         nodes.scalar(method.epsilon, "epsilon")};
  for (const trained<T>& t : tables)
    add_table_update(nodes, t.variable, t.gradient.parts(), {.rule = "Adadelta", .scalars = scalars});
}

}  // namespace detail

}  // namespace flowgraph
