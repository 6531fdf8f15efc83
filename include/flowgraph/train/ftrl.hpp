#pragma once
// Follow the regularized leader: an optimizer for linear models with many rare features. Most weights become exactly zero.
//
//     auto train = fg::ftrl{.rate = 0.1f, .l1 = 0.01f}.minimize(loss);

#include <flowgraph/ops/training/ftrl.hpp>
#include <flowgraph/train/detail/update.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// train/optimizer.hpp describes the members that every optimizer has.

// FTRL-Proximal (McMahan et al., 2013). `l2_shrinkage` is added to the gradient, and `l2` to the divisor of a step. The state is
// in the variables "w/Ftrl" (the sum of squared gradients) and "w/Ftrl_1". Complex numbers are not supported.
struct ftrl {
  static constexpr std::string_view name = "Ftrl";
  hyperparameter rate;                // learning rate, as a number or a scalar of the graph
  hyperparameter rate_power = -0.5f;  // exponent of the sum of squares; the rate is multiplied by this power
  float initial_accumulator = 0.1f;   // initial value of the sums of squares
  hyperparameter l1 = 0;              // strength of the L1 regularization
  hyperparameter l2 = 0;              // strength of the L2 regularization
  hyperparameter l2_shrinkage = 0;    // strength of the L2 shrinkage that is added to the gradient

  FLOWGRAPH_OPTIMIZER_MEMBERS
};

namespace detail {

template <class T> void add_updates(training_nodes<T>& nodes, const ftrl& method, const trained_list<T>& list) {
  const bool shrinks = method.l2_shrinkage.handle.source || method.l2_shrinkage.value > 0;
  const out<T> rate = nodes.scalar(method.rate, "learning_rate"), power = nodes.scalar(method.rate_power, "learning_rate_power");
  const out<T> l1 = nodes.scalar(method.l1, "l1_regularization_strength");
  const out<T> l2 = nodes.scalar(method.l2, "l2_regularization_strength");
  const out<T> shrinkage = shrinks ? nodes.scalar(method.l2_shrinkage, "l2_shrinkage_regularization_strength") : out<T>();
  for (const trained<T>& t : list) {
    if (t.gradient.is_none()) continue;
    const out<T>& w = t.variable;
    const flowgraph::variable<T> accum = nodes.slot(w, "Ftrl", method.initial_accumulator), linear = nodes.slot(w, "Ftrl");
    if (!accum.source || !linear.source) continue;
    if (shrinks)
      add_update<ftrl_v2_update>(nodes, t, [&](site s, auto op, const auto&... gradient) {
        return flowgraph::apply(s, op, w, accum, linear, gradient..., rate, l1, l2, shrinkage, power);
      });
    else
      add_update<ftrl_update>(nodes, t, [&](site s, auto op, const auto&... gradient) {
        return flowgraph::apply(s, op, w, accum, linear, gradient..., rate, l1, l2, power);
      });
  }
}

template <class T> void add_table_updates(training_nodes<T>& nodes, const ftrl& method, const trained_list<T>& tables) {
  if (method.l2_shrinkage.handle.source || method.l2_shrinkage.value > 0)
    return refuse(graph_of(*tables.front().variable.source),
                  no_table_rule_error(tables.front().variable, "Ftrl with l2_shrinkage", nodes.at("")));
  const out<T> scalars[]{nodes.scalar(method.rate, "learning_rate"), nodes.scalar(method.l1, "l1_regularization_strength"),
                         nodes.scalar(method.l2, "l2_regularization_strength"),
                         nodes.scalar(method.rate_power, "learning_rate_power")};
  for (const trained<T>& t : tables)
    add_table_update(nodes, t.variable, t.gradient.parts(),
                     {.rule = "Ftrl", .scalars = scalars, .initial_state = method.initial_accumulator});
}

}  // namespace detail

}  // namespace flowgraph
