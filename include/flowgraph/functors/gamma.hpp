#pragma once
// Lgamma, Digamma and the incomplete gamma function with its derivatives: by the series and the continued fraction of the Cephes
// library (Moshier), extended to derivatives as in Figurnov, Mohamed and Mnih, "Implicit reparameterization gradients" (2018).

#include <flowgraph/functors/numbers.hpp>

#include <cstdint>

namespace flowgraph::inline FLOWGRAPH_ABI::functor {

namespace gamma_functions {

// Half a unit in the last place of 1, and when the terms of a fraction are scaled, by how much.
template <class T> struct precision {
  static constexpr T least = functions<T>::epsilon / 2;
  static constexpr T large = 1 / (__is_same(T, float) ? least : functions<T>::epsilon);
};

template <class T> FLOWGRAPH_FUNCTION T digamma(T x) {
  constexpr double pi = 3.14159265358979323846;
  T reflected = 0;
  const bool negative = x <= 0;
  if (negative) {  // psi(x) = psi(1 - x) - pi / tan(pi x), the angle within a quarter turn
    const T below = functions<T>::floor(x);
    if (below == x) return functions<T>::undefined;
    T rest = x - below;
    if (rest > T(0.5)) rest = x - (below + 1);
    if (rest != T(0.5)) reflected = T(pi) / functions<T>::tan(T(pi) * rest);
    x = 1 - x;
  }
  T steps = 0;  // psi(x) = psi(x + 1) - 1 / x, until the asymptotic series serves
  for (; x < 10; x += 1) steps += 1 / x;
  T tail = 0;
  if (x < T(__is_same(T, float) ? 1e8 : 1e17)) {
    const T z = 1 / (x * x);
    if constexpr (!__is_same(T, float)) tail = ((T(1. / 12) * z - T(691. / 32760)) * z + T(1. / 132)) * z;
    tail = ((((tail - T(1. / 240)) * z + T(1. / 252)) * z - T(1. / 120)) * z + T(1. / 12)) * z;
  }
  return functions<T>::log(x) - T(0.5) / x - tail - steps - reflected;
}

// The result that is computed from the incomplete gamma function P(a, x): P, dP/da, or dx/da of an x that keeps P.
enum class gamma_part : std::uint8_t { value, derivative, sample_derivative };

template <class T> FLOWGRAPH_FUNCTION constexpr int gamma_steps(gamma_part part) {
  return part == gamma_part::value ? 2000 : __is_same(T, float) ? 200 : 500;
}

// x^a exp(-x) / gamma(a); 0 when it is too small to tell.
template <class T> FLOWGRAPH_FUNCTION T gamma_term(T a, T x) {
  const T logarithm = a * functions<T>::log(x) - x - functions<T>::log_gamma(a);
  return logarithm >= -functions<T>::log(functions<T>::highest) ? functions<T>::exp(logarithm) : T(0);
}

// P(a, x) for small x: a series of c = x^n / ((a + 1) ... (a + n)).
template <class T> FLOWGRAPH_FUNCTION T gamma_series(T a, T x, gamma_part part) {
  const T term = gamma_term(a, x);
  if (term == 0) return 0;
  T r = a, c = 1, sum = 1, dc = 0, dsum = 0;
  for (int i = gamma_steps<T>(part); i > 0; --i) {
    r += 1;
    const T factor = x / r;
    dc = factor * dc - x / (r * r) * c;
    dsum += dc;
    c *= factor;
    sum += c;
    if (part == gamma_part::value ? c <= precision<T>::least * sum
                                  : functions<T>::abs(dc) <= precision<T>::least * functions<T>::abs(dsum))
      break;
  }
  const T scale = term / a;
  if (part == gamma_part::value) return sum * scale;
  const T dlog = functions<T>::log(x) - digamma(a + 1);
  return part == gamma_part::derivative ? sum * (scale * dlog) + dsum * scale : -(dsum + sum * dlog) * x / a;
}

// 1 - P(a, x) for large x: a continued fraction, of which p / q is the value so far. Derivatives with respect to a go along.
template <class T> FLOWGRAPH_FUNCTION T gamma_fraction(T a, T x, gamma_part part) {
  if (x == functions<T>::infinity) return 0;
  const T term = gamma_term(a, x);
  if (term == 0) return 0;
  struct convergent {
    T p, q, dp, dq;
    FLOWGRAPH_FUNCTION void scale(T by) { p *= by, q *= by, dp *= by, dq *= by; }
  };
  T y = 1 - a, z = x + y + 1, c = 0;
  convergent before{1, x, 0, 0}, last{x + 1, z * x, 0, -x};
  T ratio = last.p / last.q, dratio = (last.dp - ratio * last.dq) / last.q;
  for (int i = gamma_steps<T>(part); i > 0; --i) {
    c += 1;
    y += 1;
    z += 2;
    const T yc = y * c;
    const convergent next{last.p * z - before.p * yc, last.q * z - before.q * yc,
                          last.dp * z - last.p - before.dp * yc + before.p * c,
                          last.dq * z - last.q - before.dq * yc + before.q * c};
    if (next.q != 0) {
      const T ratio_before = ratio, dratio_before = dratio;
      ratio = next.p / next.q;
      dratio = (next.dp - ratio * next.dq) / next.q;
      if (part == gamma_part::value ? functions<T>::abs(ratio_before - ratio) <= precision<T>::least * functions<T>::abs(ratio)
                                    : functions<T>::abs(dratio - dratio_before) <= precision<T>::least)
        break;
    }
    before = last;
    last = next;
    if (functions<T>::abs(next.p) > precision<T>::large) {
      before.scale(1 / precision<T>::large);
      last.scale(1 / precision<T>::large);
    }
  }
  if (part == gamma_part::value) return ratio * term;
  const T dlog = functions<T>::log(x) - digamma(a);
  return part == gamma_part::derivative ? ratio * (term * dlog) + dratio * term : -(dratio + ratio * dlog) * x;
}

template <class T> FLOWGRAPH_FUNCTION T incomplete_gamma(T a, T x, gamma_part part) {
  if (x == 0) return 0;
  if (!(x > 0) || !(a > 0)) return functions<T>::undefined;
  if (!(x > 1 && x > a)) return gamma_series(a, x, part);
  const T rest = gamma_fraction(a, x, part);
  return part == gamma_part::value ? 1 - rest : -rest;
}

}  // namespace gamma_functions

struct lgamma {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P x) { return functions<P>::log_gamma(x); }
};
struct digamma {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P x) { return gamma_functions::digamma(x); }
};
struct igamma {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P a, P x) {
    return gamma_functions::incomplete_gamma(a, x, gamma_functions::gamma_part::value);
  }
};
struct igamma_grad_a {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P a, P x) {
    return gamma_functions::incomplete_gamma(a, x, gamma_functions::gamma_part::derivative);
  }
};
struct igammac {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P a, P x) {
    namespace g = gamma_functions;
    if (!(x >= 0) || !(a > 0)) return functions<P>::undefined;
    if (x < 1 || x < a) return 1 - g::gamma_series(a, x, g::gamma_part::value);
    return g::gamma_fraction(a, x, g::gamma_part::value);
  }
};
// The derivative of a sample of a gamma distribution with respect to alpha.
struct random_gamma_grad {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P alpha, P sample) {
    return gamma_functions::incomplete_gamma(alpha, sample, gamma_functions::gamma_part::sample_derivative);
  }
};

}  // namespace flowgraph::functor
