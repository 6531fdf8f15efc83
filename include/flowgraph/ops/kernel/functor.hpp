#pragma once
// The element-wise functions: each is one struct, written once for a packet of any level and for a plain number.
//
//   struct swish { template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return x * functions<P>::sigmoid(x); } };
//
// A functor belongs to no level, so it must be inlined by force. The numbers in it are P(0.5), never 0.5f.

#include <flowgraph/config.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace functor {

// select, max, min and the elementary functions of P: math.hpp has them for packets, scalar.hpp for numbers.
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
// NaN if either is NaN.
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
// -1, 0 or 1; NaN stays NaN.
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
// To the nearest integer, the even one of two.
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
// max(x, 0); NaN stays NaN, and -0 becomes 0.
struct relu {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::select(x <= P(0), P(0), x); }
};

// Gradients, in the argument order of TensorFlow's ops.
// A product, so that a gradient which is not finite stays seen.
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

template <class... Functors> struct functor_list {
  template <class F> static constexpr bool contains = (__is_same(F, Functors) || ...);
};

// What flowgraph::compiled brings for float and double at every level. A functor added here is compiled there; one that is not
// is compiled where it is used, and its file includes <flowgraph/ops/kernel/loops.hpp>.
using unary_functors = functor_list<neg, abs, sign, floor, ceil, rint, square, sqrt, rsqrt, reciprocal, exp, expm1, log, log1p,
                                    tanh, sigmoid, softplus, relu, erf, erfc>;
using binary_functors = functor_list<add, sub, mul, div, maximum, minimum, squared_difference, relu_grad, tanh_grad, sigmoid_grad,
                                     sqrt_grad, rsqrt_grad, reciprocal_grad>;

}
}
}  // namespace flowgraph::functor

#include <flowgraph/show_names.hpp>
