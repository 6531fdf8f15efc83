#pragma once
// Gradient descent and Adagrad with a proximal step: after each step, the weights are moved toward zero.
//
//     auto train = fg::proximal_sgd{.rate = 0.1f, .l1 = 0.01f}.minimize(loss);

#include <flowgraph/ops/training/proximal.hpp>
#include <flowgraph/train/detail/update.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// train/optimizer.hpp describes the members that every optimizer has.

// Forward-backward splitting (Duchi and Singer, 2009). After a step of gradient descent, the absolute value of w is reduced by
// rate * l1, but not below zero, and the result is divided by 1 + rate * l2. Supports float and double.
struct proximal_sgd {
  static constexpr std::string_view name = "ProximalGradientDescent";
  hyperparameter rate;    // learning rate, as a number or a scalar of the graph
  hyperparameter l1 = 0;  // strength of the L1 regularization
  hyperparameter l2 = 0;  // strength of the L2 regularization

  FLOWGRAPH_OPTIMIZER_MEMBERS
};

// Forward-backward splitting with Adagrad's rate for each element. Its state is in the variable "w/ProximalAdagrad".
struct proximal_adagrad {
  static constexpr std::string_view name = "ProximalAdagrad";
  hyperparameter rate;               // learning rate, as a number or a scalar of the graph
  float initial_accumulator = 0.1f;  // initial value of the sums of squares
  hyperparameter l1 = 0;             // strength of the L1 regularization
  hyperparameter l2 = 0;             // strength of the L2 regularization

  FLOWGRAPH_OPTIMIZER_MEMBERS
};

namespace detail {

template <class T> void add_updates(training_nodes<T>& nodes, const proximal_sgd& method, const trained_list<T>& list) {
  const out<T> rate = nodes.scalar(method.rate, "learning_rate");
  const out<T> l1 = nodes.scalar(method.l1, "l1_regularization_strength");
  const out<T> l2 = nodes.scalar(method.l2, "l2_regularization_strength");
  for (const trained<T>& t : list) {
    if (t.gradient.is_none()) continue;
    const out<T>& w = t.variable;
    add_update<proximal_gradient_descent_update>(nodes, t, [&](site s, auto op, const auto&... gradient) {
      return flowgraph::apply(s, op, w, rate, l1, l2, gradient...);
    });
  }
}

template <class T> void add_updates(training_nodes<T>& nodes, const proximal_adagrad& method, const trained_list<T>& list) {
  if (!begins_positive(nodes, list, method.initial_accumulator)) return;
  const out<T> rate = nodes.scalar(method.rate, "learning_rate");
  const out<T> l1 = nodes.scalar(method.l1, "l1_regularization_strength");
  const out<T> l2 = nodes.scalar(method.l2, "l2_regularization_strength");
  for (const trained<T>& t : list) {
    if (t.gradient.is_none()) continue;
    const out<T>& w = t.variable;
    const flowgraph::variable<T> accum = nodes.slot(w, "ProximalAdagrad", method.initial_accumulator);
    if (!accum.source) continue;
    add_update<proximal_adagrad_update>(nodes, t, [&](site s, auto op, const auto&... gradient) {
      return flowgraph::apply(s, op, w, accum, rate, l1, l2, gradient...);
    });
  }
}

}  // namespace detail

}  // namespace flowgraph
