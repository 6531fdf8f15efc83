#pragma once
// Quantiles of the normal distribution, the zeta and polygamma functions and the incomplete beta function: by the methods of the
// Cephes library (Moshier), in the type of the argument, as in TensorFlow.

#include <flowgraph/functors/gamma.hpp>
#include <flowgraph/functors/polynomial.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::functor {

namespace special_functions {

using gamma_functions::precision;

// Quotients of polynomials for the inverse of the normal distribution: of (x - 1/2)^2 in the middle; of 1 / sqrt(-2 log x) for
// tails down to exp(-32), and beyond.
FLOWGRAPH_TABLE double middle_over[] = {-59.96335010141079, 98.00107541859997, -56.67628574690703, 13.931260938727968,
                                        -1.2391658386738125};
FLOWGRAPH_TABLE double middle_under[] = {1,
                                         1.9544885833814176,
                                         4.676279128988815,
                                         86.36024213908905,
                                         -225.46268785411937,
                                         200.26021238006066,
                                         -82.03722561683334,
                                         15.90562251262117,
                                         -1.1833162112133};
FLOWGRAPH_TABLE double tail_over[] = {4.0554489230596245,  31.525109459989388,   57.16281922464213,
                                      44.08050738932008,   14.684956192885803,   2.1866330685079025,
                                      -0.1402560791713545, -0.03504246268278482, -0.0008574567851546854};
FLOWGRAPH_TABLE double tail_under[] = {1,
                                       15.779988325646675,
                                       45.39076351288792,
                                       41.3172038254672,
                                       15.04253856929075,
                                       2.504649462083094,
                                       -0.14218292285478779,
                                       -0.03808064076915783,
                                       -0.0009332594808954574};
FLOWGRAPH_TABLE double far_over[] = {3.2377489177694603,     6.915228890689842,     3.9388102529247444,
                                     1.3330346081580755,     0.20148538954917908,   0.012371663481782003,
                                     0.00030158155350823543, 2.6580697468673755e-6, 6.239745391849833e-9};
FLOWGRAPH_TABLE double far_under[] = {1,
                                      6.02427039364742,
                                      3.6798356385616087,
                                      1.3770209948908132,
                                      0.21623699359449663,
                                      0.013420400608854318,
                                      0.00032801446468212774,
                                      2.8924786474538068e-6,
                                      6.790194080099813e-9};

template <class T> FLOWGRAPH_FUNCTION T normal_quantile(T x) {
  if (x == 0) return -functions<T>::infinity;
  if (x == 1) return functions<T>::infinity;
  constexpr T edge = T(0.13533528323661269189);  // exp(-2)
  const bool lower = x <= 1 - edge;
  const T tail = lower ? x : 1 - x;
  if (tail > edge) {
    const T c = tail - T(0.5), square = c * c;
    return T(2.50662827463100050242) * (c + c * (square * polynomial(square, middle_over) / polynomial(square, middle_under)));
  }
  const T r = functions<T>::sqrt(-2 * functions<T>::log(tail)), z = 1 / r;
  const T correction =
      r < 8 ? polynomial(z, tail_over) / polynomial(z, tail_under) : polynomial(z, far_over) / polynomial(z, far_under);
  const T quantile = r - functions<T>::log(r) / r - z * correction;
  return lower ? -quantile : quantile;
}

// (2k)! / B_2k
FLOWGRAPH_TABLE double zeta_terms[] = {12,
                                       -720,
                                       30240,
                                       -1209600,
                                       47900160,
                                       -1.8924375803183791606e9,
                                       7.47242496e10,
                                       -2.950130727918164224e12,
                                       1.1646782814350067249e14,
                                       -4.5979787224074726105e15,
                                       1.8152105401943546773e17,
                                       -7.1661652561756670113e18};

// Some terms one by one, the rest by Euler and Maclaurin.
template <class T> FLOWGRAPH_FUNCTION T hurwitz_zeta(T x, T q) {
  constexpr T infinity = functions<T>::infinity, undefined = functions<T>::undefined;
  constexpr T lowest = T(-1e6);  // below it there is no counting up to 9 in any time
  constexpr bool is_double = !__is_same(T, float);
  if (x == 1) return infinity;
  if (x < 1) return undefined;
  if (q <= 0) {
    if (q == functions<T>::floor(q)) return functions<T>::rint(T(0.5) * x) == T(0.5) * x ? infinity : undefined;
    if (x != functions<T>::floor(x) || (is_double && q < lowest)) return undefined;
  }
  T sum = functions<T>::pow(q, -x), at = q, term = 0;
  for (int i = 0; i < 9 || (is_double && at <= 9); ++i) {
    at += 1;
    term = functions<T>::pow(at, -x);
    sum += term;
    if (functions<T>::abs(term / sum) < precision<T>::least) return sum;
  }
  if (term == 0) return sum;
  const T last = at;
  sum += term * last / (x - 1) - T(0.5) * term;
  T factor = 1, k = 0;
  for (const double divisor : zeta_terms) {
    factor *= x + k;
    term /= last;
    const T part = factor * term / static_cast<T>(divisor);
    sum += part;
    if (functions<T>::abs(part / sum) < precision<T>::least) break;
    factor *= x + k + 1;
    term /= last;
    k += 2;
  }
  return sum;
}

template <class T> FLOWGRAPH_FUNCTION void swap(T& a, T& b) {
  const T before = a;
  a = b;
  b = before;
}

// log of 1 / beta(a, b)
template <class T> FLOWGRAPH_FUNCTION T log_inverse_beta(T a, T b) {
  return functions<T>::log_gamma(a + b) - functions<T>::log_gamma(a) - functions<T>::log_gamma(b);
}

// One of two continued fractions for the incomplete beta function. p / q is the value so far.
template <class T> FLOWGRAPH_FUNCTION T beta_fraction(T a, T b, T x, bool first) {
  constexpr bool is_float = __is_same(T, float);
  constexpr T large = precision<T>::large, close = (is_float ? 1 : 3) * precision<T>::least;
  const T sign = first ? T(1) : T(-1);
  if (!first) x = x / (1 - x);
  T sum_index = first ? a + b : b - 1, other_index = first ? b - 1 : a + b;
  T p_before = 0, q_before = 1, p = 1, q = 1, ratio = 1;
  const auto advance = [&](T factor) {
    const T next_p = p + p_before * factor, next_q = q + q_before * factor;
    p_before = p;
    q_before = q;
    p = next_p;
    q = next_q;
  };
  const auto scale = [&](T by) { p_before *= by, p *= by, q_before *= by, q *= by; };
  for (int n = 0; n < (is_float ? 100 : 300); ++n) {
    const T k = static_cast<T>(n);
    advance(-(x * (a + k) * (sum_index + sign * k)) / ((a + 2 * k) * (a + 2 * k + 1)));
    advance((x * (k + 1) * (other_index - sign * k)) / ((a + 2 * k + 1) * (a + 2 * k + 2)));
    if (q != 0) {
      const T before = ratio;
      ratio = p / q;
      if (functions<T>::abs(before - ratio) < functions<T>::abs(ratio) * close) break;
    }
    if (functions<T>::abs(q) + functions<T>::abs(p) > large) scale(1 / large);
    if (functions<T>::abs(q) < 1 / large || functions<T>::abs(p) < 1 / large) scale(large);
  }
  return ratio;
}

// Power series, for b x small.
FLOWGRAPH_FUNCTION inline float beta_series(float a, float b, float x) {
  float logarithm = a * functions<float>::log(x) + (b - 1) * functions<float>::log1p(-x) - functions<float>::log(a);
  logarithm -= functions<float>::log_gamma(a) + functions<float>::log_gamma(b);
  logarithm += functions<float>::log_gamma(a + b);
  const float t = x / (1 - x);
  float u = 1, sum = 0;
  for (int steps = 1 << 20; steps > 0 && functions<float>::abs(u) > precision<float>::least; --steps) {
    b -= 1;
    if (b == 0) break;
    a += 1;
    u *= t * b / a;
    sum += u;
  }
  return functions<float>::exp(logarithm) * (1 + sum);
}
FLOWGRAPH_FUNCTION inline double beta_series(double a, double b, double x) {
  const double least = precision<double>::least / a;
  double u = (1 - b) * x, t = u, v = u / (a + 1), sum = 0;
  const double first = v;
  for (double n = 2; functions<double>::abs(v) > least && n < 1e6; ++n) {
    t *= (n - b) * x / n;
    v = t / (a + n);
    sum += v;
  }
  return functions<double>::exp(log_inverse_beta(a, b) + a * functions<double>::log(x) +
                                functions<double>::log(sum + first + 1 / a));
}

// Precondition: a > 1. If x is beyond the mean, this is 1 minus the function with a and b exchanged.
FLOWGRAPH_FUNCTION inline float beta_above_one(float a, float b, float x) {
  float rest = 1 - x;
  const bool exchanged = x > a / (a + b);
  if (exchanged) {
    swap(a, b);
    swap(x, rest);
  }
  float y;
  if (b > 10 && functions<float>::abs(b * x / a) < 0.3f) {
    y = beta_series(a, b, x);
  } else {
    const bool first = x * (a + b - 2) / (a - 1) < 1;
    const float fraction = beta_fraction(a, b, x, first);
    const float factor = a * functions<float>::log(x) + functions<float>::log_gamma(a + b) - functions<float>::log_gamma(a) -
                         functions<float>::log_gamma(b);  // in this order, as TensorFlow rounds
    y = functions<float>::exp((first ? b : b - 1) * functions<float>::log(rest) + factor + functions<float>::log(fraction / a));
  }
  return exchanged ? 1 - y : y;
}

FLOWGRAPH_FUNCTION inline float incomplete_beta_inside(float a, float b, float x) {
  if (a > 1) return beta_above_one(a, b, x);
  const float step = a * functions<float>::log(x) + b * functions<float>::log1p(-x) + functions<float>::log_gamma(a + b) -
                     functions<float>::log_gamma(a + 1) - functions<float>::log_gamma(b);
  return beta_above_one(a + 1, b, x) + functions<float>::exp(step);
}
FLOWGRAPH_FUNCTION inline double incomplete_beta_inside(double a, double b, double x) {
  constexpr double near_one = 0.95, least = precision<double>::least;
  if (b * x <= 1 && x <= near_one) return beta_series(a, b, x);
  double rest = 1 - x;
  const bool exchanged = x > a / (a + b);
  if (exchanged) {
    swap(a, b);
    swap(x, rest);
  }
  double y;
  if (exchanged && b * x <= 1 && x <= near_one) {
    y = beta_series(a, b, x);
  } else {
    const bool first = x * (a + b - 2) - (a - 1) < 0;
    const double fraction = beta_fraction(a, b, x, first) / (first ? 1 : rest);
    y = functions<double>::exp(a * functions<double>::log(x) + b * functions<double>::log(rest) + log_inverse_beta(a, b) +
                               functions<double>::log(fraction / a));
  }
  if (!exchanged) return y;
  return y <= least ? 1 - least : 1 - y;
}

template <class T> FLOWGRAPH_FUNCTION T incomplete_beta(T a, T b, T x) {
  if (a <= 0 || b <= 0 || x < 0 || x > 1) return functions<T>::undefined;
  return x == 0 || x == 1 ? x : incomplete_beta_inside(a, b, x);
}

}  // namespace special_functions

struct erfinv {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P x) {
    return special_functions::normal_quantile(P(0.5) * x + P(0.5)) * P(0.70710678118654752440);
  }
};
struct ndtri {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P x) { return special_functions::normal_quantile(x); }
};
struct zeta {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P x, P q) { return special_functions::hurwitz_zeta(x, q); }
};
struct polygamma {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P a, P x) {
    using f = functions<P>;
    if (f::floor(a) != a || a < 0) return f::undefined;
    if (a == 0) return gamma_functions::digamma(x);
    return f::pow(P(-1), a + 1) * f::exp(f::log_gamma(a + 1)) * special_functions::hurwitz_zeta(a + 1, x);
  }
};
struct betainc {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P a, P b, P x) { return special_functions::incomplete_beta(a, b, x); }
};

}  // namespace flowgraph::functor
