#pragma once
// Activation functions of neural networks. Their gradients are in gradients.hpp.

#include <flowgraph/functors/functions.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::functor {

// max(x, 0). NaN remains NaN, and -0 becomes 0.
struct relu {
  static constexpr bool exact = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::select(x <= P(0), P(0), x); }
};
struct relu6 {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::min(functions<P>::max(x, P(0)), P(6)); }
};
struct leaky_relu {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P alpha) {
    return functions<P>::select(x > P(0), x, P(x * alpha));
  }
};
struct leaky_slope {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P alpha) { return functions<P>::select(x > P(0), P(1), alpha); }
};
struct elu {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) {
    return functions<P>::select(x < P(0), functions<P>::expm1(x), x);
  }
};
// The constants with which activations keep their mean and variance from layer to layer.
inline constexpr double selu_scale = 1.0507009873554804934, selu_below = 1.7580993408473768600;
struct selu {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) {
    return functions<P>::select(x < P(0), rounded<P>(selu_below) * functions<P>::expm1(x), rounded<P>(selu_scale) * x);
  }
};
struct softplus {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::softplus(x); }
};
struct softsign {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return x / (functions<P>::abs(x) + P(1)); }
};
struct sigmoid {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::sigmoid(x); }
};
struct tanh {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::tanh(x); }
};

using activation_functors = functor_list<relu, relu6, leaky_relu, leaky_slope, elu, selu, softplus, softsign, sigmoid, tanh>;

}  // namespace flowgraph::functor

#include <flowgraph/show_names.hpp>
