#pragma once
// Adam with decoupled weight decay.
//
//     auto weights = fg::adamw{.rate = 1e-3f, .weight_decay = 0.01f}.minimize(loss, w);
//     auto biases = fg::adam{.rate = 1e-3f}.minimize(loss, b);

#include <flowgraph/train/detail/update.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// train/optimizer.hpp describes the members that every optimizer has.

// AdamW (Loshchilov and Hutter, 2017). Each step subtracts rate * weight_decay * w in addition to Adam's step. Adam's step
// depends only on the gradient that was computed before the decay. The state is in the variables "w/AdamW" and "w/AdamW_1".
struct adamw {
  static constexpr std::string_view name = "AdamW";
  hyperparameter rate = 1e-3f;          // learning rate, as a number or a scalar of the graph
  hyperparameter weight_decay = 4e-3f;  // decay of the weights per step, multiplied by the rate
  hyperparameter beta1 = 0.9f;          // decay factor of the running mean of the gradients
  hyperparameter beta2 = 0.999f;        // decay factor of the running mean of the squared gradients
  hyperparameter epsilon = 1e-8f;       // added to the divisor

  FLOWGRAPH_OPTIMIZER_MEMBERS
};

namespace detail {

// The scalars of Adam and its variants, and the powers of the betas.
template <class T> struct adam_scalars {
  out<T> rate, epsilon, beta1, beta2;
  flowgraph::variable<T> power1, power2;

  template <class Method>
  adam_scalars(training_nodes<T>& nodes, const Method& method)
      : rate(nodes.scalar(method.rate, "learning_rate")), epsilon(nodes.scalar(method.epsilon, "epsilon")),
        beta1(nodes.scalar(method.beta1, "beta1")), beta2(nodes.scalar(method.beta2, "beta2")),
        power1(nodes.power(method.beta1, "beta1_power", beta1)), power2(nodes.power(method.beta2, "beta2_power", beta2)) {}
};

// Returns the factor of the decay.
template <class T, class Method> out<T> decay_of(training_nodes<T>& nodes, const Method& method, const out<T>& rate) {
  const out<T> weight_decay = nodes.scalar(method.weight_decay, "weight_decay");
  return flowgraph::apply(mul_op{}, rate, weight_decay, nodes.at("decay"));
}

// Adds the step of a dense gradient after the decay. The decay waits until the gradient has been computed with the old value of
// the variable.
template <class T>
void add_decayed_adam(training_nodes<T>& nodes, const trained<T>& t, const out<T>& m, const out<T>& v, const adam_scalars<T>& a,
                      const out<T>& decay) {
  const out<T>& w = t.variable;
  const out<T> gradient = t.gradient;
  out<T> shrunk;
  {
    const auto after = graph_of(*w.source).after(gradient);
    const out<T> share = flowgraph::apply(mul_op{}, w, decay, nodes.at(w, "mul"));
    shrunk = flowgraph::apply(assign_sub_op{}, w, share, nodes.at(w, "AssignSub"));
  }
  nodes.add(flowgraph::apply(nodes.at(w, "ApplyAdam"), apply_adam_op{}, shrunk, m, v, a.power1, a.power2, a.rate, a.beta1,
                             a.beta2, a.epsilon, gradient));
}

template <class T> void add_updates(training_nodes<T>& nodes, const adamw& method, const trained_list<T>& list) {
  const adam_scalars<T> a(nodes, method);
  const out<T> decay = decay_of(nodes, method, a.rate);
  for (const trained<T>& t : list) {
    if (t.gradient.is_none()) continue;
    const flowgraph::variable<T> m = nodes.slot(t.variable, "AdamW"), v = nodes.slot(t.variable, "AdamW");
    if (m.source && v.source) add_decayed_adam(nodes, t, m, v, a, decay);
  }
  for (const target& t : grown_powers(nodes, a.power1, a.beta1, a.power2, a.beta2)) nodes.add(t);
}

}  // namespace detail

}  // namespace flowgraph
