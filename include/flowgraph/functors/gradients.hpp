#pragma once
// Gradients of element functions, with arguments in the order of TensorFlow's ops.

#include <flowgraph/functors/functions.hpp>
#include <flowgraph/functors/activation.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::functor {

// relu_grad and relu6_grad are products instead of selections, so that they do not hide an infinite or NaN gradient.
struct relu_grad : paired {
  static constexpr bool exact = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P dy, P y) {
    return P(dy * functions<P>::select(y > P(0), P(1), P(0)));
  }
};
struct relu6_grad : paired {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P dy, P y) {
    using f = functions<P>;
    return P(dy * f::select(y > P(0), f::select(y < P(6), P(1), P(0)), P(0)));
  }
};
struct elu_grad : paired {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P dy, P y) {
    return functions<P>::select(y < P(0), dy * (y + P(1)), dy);
  }
};
struct selu_grad : paired {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P dy, P y) {
    return dy * functions<P>::select(y < P(0), y + rounded<P>(selu_below), rounded<P>(selu_scale));
  }
};
// dy / (1 + exp(-x))
struct softplus_grad : paired {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P dy, P x) { return dy * functions<P>::sigmoid(x); }
};
struct softsign_grad : paired {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P dy, P x) {
    const P one_more = functions<P>::abs(x) + P(1);
    return dy / (one_more * one_more);
  }
};
struct sigmoid_grad : paired {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P y, P dy) { return dy * y * (P(1) - y); }
};
struct tanh_grad : paired {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P y, P dy) { return dy * (P(1) - y * y); }
};
struct sqrt_grad : paired {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P y, P dy) { return dy * P(0.5) / y; }
};
struct rsqrt_grad : paired {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P y, P dy) { return dy * P(-0.5) * y * y * y; }
};
struct reciprocal_grad : paired {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P y, P dy) { return -dy * y * y; }
};

using gradients_functors = functor_list<relu_grad, relu6_grad, elu_grad, selu_grad, softplus_grad, softsign_grad, sigmoid_grad,
                                        tanh_grad, sqrt_grad, rsqrt_grad, reciprocal_grad>;

}  // namespace flowgraph::functor
