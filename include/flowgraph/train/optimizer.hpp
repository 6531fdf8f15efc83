#pragma once
// Optimizers. An optimizer adds nodes that compute the gradients of a loss, and nodes that update variables with these gradients.
//
//     auto train = fg::adam{.rate = 1e-3f}.minimize(loss);          // all variables that the loss depends on
//     auto train = fg::sgd{.rate = 0.1f}.minimize(loss, w, b);      // only these variables
//
//     fg::momentum method{.rate = rate};                            // a handle: the graph computes the rate
//     auto parts = method.gradients(loss);
//     for (auto& p : parts) p.gradient = {clipped(p.gradient)};
//     auto train = method.apply(parts);
//
// An optimizer keeps its state in variables of the graph, which have the same names as in TensorFlow: "w/Adam", "w/Adam_1",
// "beta1_power", "w/Momentum". Call the session's `initialize` after `minimize`.

#include <flowgraph/graph/gradients.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/training/training.hpp>

#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A number, or a scalar that the graph computes.
struct hyperparameter {
  float value = 0;         // the value, if the parameter is not a handle
  any_out handle = {};     // a scalar of the graph
  bool is_handle = false;  // true: the parameter is the handle, which must not be empty

  template <class N>
    requires(std::is_arithmetic_v<N>) hyperparameter(N v) : value(static_cast<float>(v)) {}
  hyperparameter(const out<float>& h) : handle(h), is_handle(true) {}
};

// A variable, and the gradient of the loss with respect to it.
template <class T> struct trained {
  out<T> variable;   // the variable
  grad<T> gradient;  // its gradient; absent: the variable is not changed
};
template <class T> using trained_list = std::vector<trained<T>>;

namespace detail {

template <class T> trained_list<T> gradients_of_all(const out<T>& loss, const site& s);
template <class T> trained_list<T> gradients_of_these(const loss_argument& loss, std::span<const any_out> variables);
// `owns_gradients`: nothing else reads the gradients of the list.
template <class T, class Method>
target train_with(const Method& method, const trained_list<T>& list, const site& s, bool owns_gradients = false);

template <class Method, class T, class... U>
target minimize_these(const Method& method, const loss_argument& loss, const variable<T>& first, const variable<U>&... rest) {
  static_assert((std::is_same_v<T, U> && ...), "flowgraph: variables of one element type a call; minimize each type on its own");
  const any_out all[]{first, rest...};
  return train_with(method, gradients_of_these<T>(loss, all), loss.where);
}

}  // namespace detail

// Each optimizer has these members:
//
//     minimize(loss)            a target that updates, once per run, all variables of the loss's type that it depends on
//     minimize(loss, w, b, ...) as above, for these variables, all of one type; the loss must depend on each of them
//     gradients(loss)           the first half of minimize(loss)
//     apply(list)               the second half; variables without a gradient are not changed
//
// The members are defined by a macro and not by a base class, because g++ 12 reports a base class as a missing initializer
// (-Wextra) in `adam{.rate = 1e-3f}`.
#define FLOWGRAPH_OPTIMIZER_MEMBERS                                                                                        \
  template <class T> target minimize(const out<T>& loss, site s = {}) const {                                              \
    return detail::train_with(*this, gradients(loss, s), s, true);                                                         \
  }                                                                                                                        \
  template <class... T>                                                                                                    \
    requires(sizeof...(T) > 0) target minimize(const detail::loss_argument& loss, const variable<T>&... variables) const { \
    return detail::minimize_these(*this, loss, variables...);                                                              \
  }                                                                                                                        \
  template <class T> trained_list<T> gradients(const out<T>& loss, site s = {}) const {                                    \
    return detail::gradients_of_all(loss, s);                                                                              \
  }                                                                                                                        \
  template <class T> target apply(const trained_list<T>& list, site s = {}) const { return detail::train_with(*this, list, s); }

// Gradient descent: w -= rate * gradient.
struct sgd {
  static constexpr std::string_view name = "GradientDescent";
  hyperparameter rate;  // learning rate, as a number or a scalar of the graph

  FLOWGRAPH_OPTIMIZER_MEMBERS
};

// Gradient descent with momentum: accum = momentum * accum + gradient; w -= rate * accum. If a gradient is sparse, only the rows
// that it names are changed.
struct momentum {
  static constexpr std::string_view name = "Momentum";
  hyperparameter rate;             // learning rate, as a number or a scalar of the graph
  hyperparameter momentum = 0.9f;  // factor by which `accum` decays per step
  bool nesterov = false;           // true: Nesterov momentum

  FLOWGRAPH_OPTIMIZER_MEMBERS
};

// Adam (Kingma and Ba, 2014), as in TensorFlow: epsilon is added to the root of the uncorrected moment, and a sparse gradient is
// treated as a dense gradient with zeros.
struct adam {
  static constexpr std::string_view name = "Adam";
  hyperparameter rate = 1e-3f;     // learning rate, as a number or a scalar of the graph
  hyperparameter beta1 = 0.9f;     // decay factor of the running mean of the gradients
  hyperparameter beta2 = 0.999f;   // decay factor of the running mean of the squared gradients
  hyperparameter epsilon = 1e-8f;  // added to the divisor

  FLOWGRAPH_OPTIMIZER_MEMBERS
};

}  // namespace flowgraph

#include <flowgraph/train/detail/optimizer.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/optimizer.hpp>
#endif
