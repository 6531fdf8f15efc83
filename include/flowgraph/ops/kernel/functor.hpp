#pragma once
// The element-wise functions. Each is a struct with one definition for packets of any level and for plain numbers.
//
//   struct swish { template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return x * functions<P>::sigmoid(x); } };
//
// A functor does not belong to a level, so it must be force-inlined. Its constants are written P(0.5), never 0.5f.

#include <flowgraph/config.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace functor {

// select, max, min and the elementary functions of P: math.hpp defines them for packets, scalar.hpp for numbers.
template <class P> struct functions;

struct add {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a, P b) { return P(a + b); }
};
struct sub {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a, P b) { return P(a - b); }
};
struct mul {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a, P b) { return P(a * b); }
};
struct div {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a, P b) { return P(a / b); }
};
// Returns NaN if either operand is NaN.
struct maximum {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a, P b) { return functions<P>::max(a, b); }
};
struct minimum {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a, P b) { return functions<P>::min(a, b); }
};
struct squared_difference {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a, P b) { return P(P(a - b) * P(a - b)); }
};

struct neg {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return P(-x); }
};
struct abs {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::abs(x); }
};
// Returns -1, 0 or 1. NaN remains NaN.
struct sign {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) {
    using f = functions<P>;
    return f::select(x > P(0), P(1), f::select(x == P(0), P(0), f::select(x == x, P(P(0) - P(1)), x)));
  }
};
struct floor {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::floor(x); }
};
struct ceil {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return P(-functions<P>::floor(P(-x))); }
};
// Rounds to the nearest integer; halfway cases round to the even integer.
struct rint {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::rint(x); }
};
struct square {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return P(x * x); }
};
struct sqrt {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::sqrt(x); }
};
struct rsqrt {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return P(1) / functions<P>::sqrt(x); }
};
struct reciprocal {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return P(P(1) / x); }
};
struct exp {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::exp(x); }
};
struct expm1 {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::expm1(x); }
};
struct log {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::log(x); }
};
struct log1p {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::log1p(x); }
};
struct tanh {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::tanh(x); }
};
struct sigmoid {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::sigmoid(x); }
};
struct softplus {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::softplus(x); }
};
struct erf {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::erf(x); }
};
struct erfc {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::erfc(x); }
};
// max(x, 0). NaN remains NaN, and -0 becomes 0.
struct relu {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::select(x <= P(0), P(0), x); }
};

// Gradients, with arguments in the order of TensorFlow's ops. relu_grad is a product instead of a selection, so that it does not
// hide an infinite or NaN gradient.
struct relu_grad {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P dy, P y) {
    return P(dy * functions<P>::select(y > P(0), P(1), P(0)));
  }
};
struct tanh_grad {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P y, P dy) { return dy * (P(1) - y * y); }
};
struct sigmoid_grad {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P y, P dy) { return dy * y * (P(1) - y); }
};
struct sqrt_grad {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P y, P dy) { return dy * P(0.5) / y; }
};
struct rsqrt_grad {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P y, P dy) { return dy * P(-0.5) * y * y * y; }
};
struct reciprocal_grad {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P y, P dy) { return -dy * y * y; }
};

// ---- The less common activations.

// dy / (1 + exp(-x))
struct softplus_grad {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P dy, P x) { return dy * functions<P>::sigmoid(x); }
};
struct elu {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) {
    return functions<P>::select(x < P(0), functions<P>::expm1(x), x);
  }
};
struct elu_grad {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P dy, P y) {
    return functions<P>::select(y < P(0), dy * (y + P(1)), dy);
  }
};
// A constant that the element type of a packet cannot represent exactly; it is rounded.
template <class P> FLOWGRAPH_ALWAYS_INLINE constexpr P rounded(double x) {
  if constexpr (requires { typename P::value_type; }) return P(static_cast<typename P::value_type>(x));
  else return P(static_cast<P>(x));
}

struct leaky_relu {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P alpha) {
    return functions<P>::select(x > P(0), x, P(x * alpha));
  }
};
struct leaky_slope {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P alpha) { return functions<P>::select(x > P(0), P(1), alpha); }
};
struct relu6 {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::min(functions<P>::max(x, P(0)), P(6)); }
};
// A product instead of a selection, so that it does not hide an infinite or NaN gradient.
struct relu6_grad {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P dy, P y) {
    using f = functions<P>;
    return P(dy * f::select(y > P(0), f::select(y < P(6), P(1), P(0)), P(0)));
  }
};
// The constants with which activations keep their mean and variance from layer to layer.
inline constexpr double selu_scale = 1.0507009873554804934, selu_below = 1.7580993408473768600;
struct selu {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) {
    return functions<P>::select(x < P(0), rounded<P>(selu_below) * functions<P>::expm1(x), rounded<P>(selu_scale) * x);
  }
};
struct selu_grad {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P dy, P y) {
    return dy * functions<P>::select(y < P(0), y + rounded<P>(selu_below), rounded<P>(selu_scale));
  }
};
struct softsign {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return x / (functions<P>::abs(x) + P(1)); }
};
struct softsign_grad {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P dy, P x) {
    const P one_more = functions<P>::abs(x) + P(1);
    return dy / (one_more * one_more);
  }
};

// ---- Functions that return 0 if one operand is 0, even if the other operand is not finite.

struct mul_no_nan {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P y) { return functions<P>::select(y == P(0), P(0), P(x * y)); }
};
struct div_no_nan {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P y) { return functions<P>::select(y == P(0), P(0), P(x / y)); }
};
struct xdivy {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P y) { return functions<P>::select(x == P(0), P(0), P(x / y)); }
};
struct xlogy {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P y) {
    return functions<P>::select(x == P(0), P(0), P(x * functions<P>::log(y)));
  }
};
struct xlog1py {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P y) {
    return functions<P>::select(x == P(0), P(0), P(x * functions<P>::log1p(y)));
  }
};

template <class... Functors> struct functor_list {
  template <class F> static constexpr bool contains = (__is_same(F, Functors) || ...);
};

// The functors that flowgraph::compiled contains for float and double at every level. A functor that is not listed is compiled
// where it is used, and that file must include <flowgraph/ops/kernel/loops.hpp>. All functors of the library itself must be
// listed: it does not compile with a functor that would only run at the baseline level (dispatch.hpp).
using unary_functors = functor_list<neg, abs, sign, floor, ceil, rint, square, sqrt, rsqrt, reciprocal, exp, expm1, log, log1p,
                                    tanh, sigmoid, softplus, relu, erf, erfc, elu, relu6, selu, softsign>;
using binary_functors = functor_list<add, sub, mul, div, maximum, minimum, squared_difference, leaky_relu, leaky_slope,
                                     mul_no_nan, div_no_nan, xdivy, xlogy, xlog1py>;
// Functors of two operands of the same shape; neither operand is ever a single number.
using paired_functors = functor_list<relu_grad, tanh_grad, sigmoid_grad, sqrt_grad, rsqrt_grad, reciprocal_grad, softplus_grad,
                                     elu_grad, relu6_grad, selu_grad, softsign_grad>;

}
}
}  // namespace flowgraph::functor

#include <flowgraph/show_names.hpp>
