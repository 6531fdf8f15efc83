#pragma once
// RMSProp, an optimizer: the size of its steps does not depend on the size of the gradients.
//
//     auto train = fg::rms_prop{.rate = 1e-3f, .centered = true}.minimize(loss);

#include <flowgraph/ops/training/rms_prop.hpp>
#include <flowgraph/train/detail/update.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// train/optimizer.hpp describes the members that every optimizer has.

// RMSProp with momentum (Tieleman and Hinton, 2012): divides the gradient by the root of its running mean square or, if centered,
// by its standard deviation. The mean square is initialized to ones, as in TensorFlow.
struct rms_prop {
  static constexpr std::string_view name = "RMSProp";
  hyperparameter rate;              // learning rate, as a number or a scalar of the graph
  hyperparameter decay = 0.9f;      // decay factor of the running mean square
  hyperparameter momentum = 0;      // share of the previous update that is added to the next update
  hyperparameter epsilon = 1e-10f;  // added to the mean square before its root is taken
  bool centered = false;            // true: divides by the standard deviation instead

  FLOWGRAPH_OPTIMIZER_MEMBERS
};

namespace detail {

template <class T> void add_updates(training_nodes<T>& nodes, const rms_prop& method, const trained_list<T>& list) {
  const out<T> rate = nodes.scalar(method.rate, "learning_rate"), decay = nodes.scalar(method.decay, "decay");
  const out<T> momentum = nodes.scalar(method.momentum, "momentum"), epsilon = nodes.scalar(method.epsilon, "epsilon");
  for (const trained<T>& t : list) {
    if (t.gradient.is_none()) continue;
    const out<T>& w = t.variable;
    const flowgraph::variable<T> square = nodes.slot(w, "RMSProp", 1);
    const flowgraph::variable<T> mean = method.centered ? nodes.slot(w, "RMSProp") : square;
    const flowgraph::variable<T> moved = nodes.slot(w, "RMSProp");
    if (!square.source || !mean.source || !moved.source) continue;
    if (method.centered)
      add_update<centered_rms_prop_update>(nodes, t, [&](site s, auto op, const auto&... gradient) {
        return flowgraph::apply(s, op, w, mean, square, moved, rate, decay, momentum, epsilon, gradient...);
      });
    else
      add_update<rms_prop_update>(nodes, t, [&](site s, auto op, const auto&... gradient) {
        return flowgraph::apply(s, op, w, square, moved, rate, decay, momentum, epsilon, gradient...);
      });
  }
}

template <class T> void add_table_updates(training_nodes<T>& nodes, const rms_prop& method, const trained_list<T>& tables) {
  if (method.centered)
    return refuse(graph_of(*tables.front().variable.source),
                  no_table_rule_error(tables.front().variable, "centered RMSProp", nodes.at("")));
  const out<T> scalars[]{nodes.scalar(method.rate, "learning_rate"), nodes.scalar(method.decay, "decay"),
                         nodes.scalar(method.momentum, "momentum"), nodes.scalar(method.epsilon, "epsilon")};
  for (const trained<T>& t : tables)
    add_table_update(nodes, t.variable, t.gradient.parts(), {.rule = "RMSProp", .scalars = scalars, .initial_state = 1});
}

}  // namespace detail

}  // namespace flowgraph
