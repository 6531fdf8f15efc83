#pragma once
// Adam for tables if each step uses only a few rows: the other rows and their state are not changed.
//
//     auto train = fg::lazy_adam{.rate = 1e-3f}.minimize(loss);

#include <flowgraph/ops/training/lazy_adam.hpp>
#include <flowgraph/train/adamw.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// train/optimizer.hpp describes the members that every optimizer has.

// Adam that updates only the rows that a sparse gradient names. The moments of such a row decay by one step, even if the row was
// last named many steps ago; the bias correction uses the number of all steps. Variables with dense gradients are updated in the
// same way as by `adam`. The variables of the state have the same names as those of `adam`, "w/Adam" and "w/Adam_1", so each of
// the two optimizers can continue a training that the other began.
struct lazy_adam {
  static constexpr std::string_view name = "LazyAdam";
  hyperparameter rate = 1e-3f;     // learning rate, as a number or a scalar of the graph
  hyperparameter beta1 = 0.9f;     // decay factor of the running mean of the gradients
  hyperparameter beta2 = 0.999f;   // decay factor of the running mean of the squared gradients
  hyperparameter epsilon = 1e-8f;  // added to the divisor

  FLOWGRAPH_OPTIMIZER_MEMBERS
};

// AdamW that updates only the rows that a sparse gradient names: the weights of the other rows do not decay. The state is in the
// variables "w/AdamW" and "w/AdamW_1".
struct lazy_adamw {
  static constexpr std::string_view name = "LazyAdamW";
  hyperparameter rate = 1e-3f;          // learning rate, as a number or a scalar of the graph
  hyperparameter weight_decay = 4e-3f;  // decay of the weights per step, multiplied by the rate
  hyperparameter beta1 = 0.9f;          // decay factor of the running mean of the gradients
  hyperparameter beta2 = 0.999f;        // decay factor of the running mean of the squared gradients
  hyperparameter epsilon = 1e-8f;       // added to the divisor

  FLOWGRAPH_OPTIMIZER_MEMBERS
};

namespace detail {

template <class T>
FLOWGRAPH_COLD void add_updates(training_nodes<T>& nodes, const lazy_adam& method, const trained_list<T>& list) {
  const adam_scalars<T> a(nodes, method);
  for (const trained<T>& t : list) {
    if (t.gradient.is_none()) continue;
    const out<T>& w = t.variable;
    const flowgraph::variable<T> m = nodes.slot(w, "Adam"), v = nodes.slot(w, "Adam");
    if (!m.source || !v.source) continue;
    if (t.gradient.is_slices()) {
      const indexed_slices<T> s = nodes.deduplicated(w, t.gradient.slices());
      nodes.add(flowgraph::apply(nodes.at(w, "SparseApplyLazyAdam"), sparse_apply_lazy_adam_op{}, w, m, v, a.power1, a.power2,
                                 a.rate, a.beta1, a.beta2, a.epsilon, s.values, s.indices));
    } else {
      nodes.add(flowgraph::apply(nodes.at(w, "ApplyAdam"), apply_adam_op{}, w, m, v, a.power1, a.power2, a.rate, a.beta1, a.beta2,
                                 a.epsilon, out<T>(t.gradient)));
    }
  }
  for (const target& t : grown_powers(nodes, a.power1, a.beta1, a.power2, a.beta2)) nodes.add(t);
}

template <class T>
FLOWGRAPH_COLD void add_updates(training_nodes<T>& nodes, const lazy_adamw& method, const trained_list<T>& list) {
  const adam_scalars<T> a(nodes, method);
  const out<T> decay = decay_of(nodes, method, a.rate);
  for (const trained<T>& t : list) {
    if (t.gradient.is_none()) continue;
    const out<T>& w = t.variable;
    const flowgraph::variable<T> m = nodes.slot(w, "AdamW"), v = nodes.slot(w, "AdamW");
    if (!m.source || !v.source) continue;
    if (t.gradient.is_slices()) {
      const indexed_slices<T> s = nodes.deduplicated(w, t.gradient.slices());
      nodes.add(flowgraph::apply(nodes.at(w, "SparseApplyLazyAdamW"), sparse_apply_lazy_adamw_op{}, w, m, v, a.power1, a.power2,
                                 a.rate, a.beta1, a.beta2, a.epsilon, decay, s.values, s.indices));
    } else {
      add_decayed_adam(nodes, t, m, v, a, decay);
    }
  }
  for (const target& t : grown_powers(nodes, a.power1, a.beta1, a.power2, a.beta2)) nodes.add(t);
}

template <class T> void add_table_updates(training_nodes<T>& nodes, const lazy_adam& method, const trained_list<T>& tables) {
  add_lazy_table_updates(nodes, method, tables);
}

}  // namespace detail

}  // namespace flowgraph
