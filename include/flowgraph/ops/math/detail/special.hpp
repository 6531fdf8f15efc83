#pragma once
// By the methods of the Cephes library (Moshier), in the type of the argument, as TensorFlow.

#include <flowgraph/ops/shared/detail/elementwise.hpp>
#include <flowgraph/ops/math/detail/incomplete_gamma.hpp>
#include <flowgraph/ops/shared/detail/pointwise.hpp>
#include <flowgraph/ops/math/special.hpp>

#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail::special {

// Quotients of polynomials for the inverse of the normal distribution: of (x - 1/2)^2 in the middle; of 1 / sqrt(-2 log x) for
// tails down to exp(-32), and beyond.
inline constexpr double middle_over[] = {-59.96335010141079, 98.00107541859997, -56.67628574690703, 13.931260938727968,
                                         -1.2391658386738125};
inline constexpr double middle_under[] = {1,
                                          1.9544885833814176,
                                          4.676279128988815,
                                          86.36024213908905,
                                          -225.46268785411937,
                                          200.26021238006066,
                                          -82.03722561683334,
                                          15.90562251262117,
                                          -1.1833162112133};
inline constexpr double tail_over[] = {4.0554489230596245,  31.525109459989388,   57.16281922464213,
                                       44.08050738932008,   14.684956192885803,   2.1866330685079025,
                                       -0.1402560791713545, -0.03504246268278482, -0.0008574567851546854};
inline constexpr double tail_under[] = {1,
                                        15.779988325646675,
                                        45.39076351288792,
                                        41.3172038254672,
                                        15.04253856929075,
                                        2.504649462083094,
                                        -0.14218292285478779,
                                        -0.03808064076915783,
                                        -0.0009332594808954574};
inline constexpr double far_over[] = {3.2377489177694603,     6.915228890689842,     3.9388102529247444,
                                      1.3330346081580755,     0.20148538954917908,   0.012371663481782003,
                                      0.00030158155350823543, 2.6580697468673755e-6, 6.239745391849833e-9};
inline constexpr double far_under[] = {1,
                                       6.02427039364742,
                                       3.6798356385616087,
                                       1.3770209948908132,
                                       0.21623699359449663,
                                       0.013420400608854318,
                                       0.00032801446468212774,
                                       2.8924786474538068e-6,
                                       6.790194080099813e-9};

template <class T> T normal_quantile(T x) {
  if (x == 0) return -std::numeric_limits<T>::infinity();
  if (x == 1) return std::numeric_limits<T>::infinity();
  constexpr T edge = T(0.13533528323661269189);  // exp(-2)
  const bool lower = x <= 1 - edge;
  const T tail = lower ? x : 1 - x;
  if (tail > edge) {
    const T c = tail - T(0.5), square = c * c;
    return T(2.50662827463100050242) * (c + c * (square * polynomial(square, middle_over) / polynomial(square, middle_under)));
  }
  const T r = std::sqrt(-2 * std::log(tail)), z = 1 / r;
  const T correction =
      r < 8 ? polynomial(z, tail_over) / polynomial(z, tail_under) : polynomial(z, far_over) / polynomial(z, far_under);
  const T quantile = r - std::log(r) / r - z * correction;
  return lower ? -quantile : quantile;
}

// (2k)! / B_2k
inline constexpr double zeta_terms[] = {12,
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
template <class T> T hurwitz_zeta(T x, T q) {
  constexpr T infinity = std::numeric_limits<T>::infinity(), undefined = std::numeric_limits<T>::quiet_NaN();
  constexpr T lowest = T(-1e6);  // below it there is no counting up to 9 in any time
  constexpr bool is_double = !std::is_same_v<T, float>;
  if (x == 1) return infinity;
  if (x < 1) return undefined;
  if (q <= 0) {
    if (q == std::floor(q)) return std::rint(T(0.5) * x) == T(0.5) * x ? infinity : undefined;
    if (x != std::floor(x) || (is_double && q < lowest)) return undefined;
  }
  T sum = std::pow(q, -x), at = q, term = 0;
  for (int i = 0; i < 9 || (is_double && at <= 9); ++i) {
    at += 1;
    term = std::pow(at, -x);
    sum += term;
    if (std::abs(term / sum) < precision<T>::least) return sum;
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
    if (std::abs(part / sum) < precision<T>::least) break;
    factor *= x + k + 1;
    term /= last;
    k += 2;
  }
  return sum;
}

// log of 1 / beta(a, b)
template <class T> T log_inverse_beta(T a, T b) { return log_gamma(a + b) - log_gamma(a) - log_gamma(b); }

// One of two continued fractions for the incomplete beta function. p / q is the value so far.
template <class T> T beta_fraction(T a, T b, T x, bool first) {
  constexpr bool is_float = std::is_same_v<T, float>;
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
      if (std::abs(before - ratio) < std::abs(ratio) * close) break;
    }
    if (std::abs(q) + std::abs(p) > large) scale(1 / large);
    if (std::abs(q) < 1 / large || std::abs(p) < 1 / large) scale(large);
  }
  return ratio;
}

// Power series, for b x small.
inline float beta_series(float a, float b, float x) {
  float logarithm = a * std::log(x) + (b - 1) * std::log1p(-x) - std::log(a);
  logarithm -= log_gamma(a) + log_gamma(b);
  logarithm += log_gamma(a + b);
  const float t = x / (1 - x);
  float u = 1, sum = 0;
  for (int steps = 1 << 20; steps > 0 && std::abs(u) > precision<float>::least; --steps) {
    b -= 1;
    if (b == 0) break;
    a += 1;
    u *= t * b / a;
    sum += u;
  }
  return std::exp(logarithm) * (1 + sum);
}
inline double beta_series(double a, double b, double x) {
  const double least = precision<double>::least / a;
  double u = (1 - b) * x, t = u, v = u / (a + 1), sum = 0;
  const double first = v;
  for (double n = 2; std::abs(v) > least && n < 1e6; ++n) {
    t *= (n - b) * x / n;
    v = t / (a + n);
    sum += v;
  }
  return std::exp(log_inverse_beta(a, b) + a * std::log(x) + std::log(sum + first + 1 / a));
}

// For a > 1. Where x is beyond the mean, 1 minus the function with a and b exchanged.
inline float beta_above_one(float a, float b, float x) {
  float rest = 1 - x;
  const bool exchanged = x > a / (a + b);
  if (exchanged) {
    std::swap(a, b);
    std::swap(x, rest);
  }
  float y;
  if (b > 10 && std::abs(b * x / a) < 0.3f) {
    y = beta_series(a, b, x);
  } else {
    const bool first = x * (a + b - 2) / (a - 1) < 1;
    const float fraction = beta_fraction(a, b, x, first);
    const float factor = a * std::log(x) + log_gamma(a + b) - log_gamma(a) - log_gamma(b);  // in this order, as TensorFlow rounds
    y = std::exp((first ? b : b - 1) * std::log(rest) + factor + std::log(fraction / a));
  }
  return exchanged ? 1 - y : y;
}

inline float incomplete_beta_inside(float a, float b, float x) {
  if (a > 1) return beta_above_one(a, b, x);
  const float step = a * std::log(x) + b * std::log1p(-x) + log_gamma(a + b) - log_gamma(a + 1) - log_gamma(b);
  return beta_above_one(a + 1, b, x) + std::exp(step);
}
inline double incomplete_beta_inside(double a, double b, double x) {
  constexpr double near_one = 0.95, least = precision<double>::least;
  if (b * x <= 1 && x <= near_one) return beta_series(a, b, x);
  double rest = 1 - x;
  const bool exchanged = x > a / (a + b);
  if (exchanged) {
    std::swap(a, b);
    std::swap(x, rest);
  }
  double y;
  if (exchanged && b * x <= 1 && x <= near_one) {
    y = beta_series(a, b, x);
  } else {
    const bool first = x * (a + b - 2) - (a - 1) < 0;
    const double fraction = beta_fraction(a, b, x, first) / (first ? 1 : rest);
    y = std::exp(a * std::log(x) + b * std::log(rest) + log_inverse_beta(a, b) + std::log(fraction / a));
  }
  if (!exchanged) return y;
  return y <= least ? 1 - least : 1 - y;
}

template <class T> T incomplete_beta(T a, T b, T x) {
  if (a <= 0 || b <= 0 || x < 0 || x > 1) return std::numeric_limits<T>::quiet_NaN();
  return x == 0 || x == 1 ? x : incomplete_beta_inside(a, b, x);
}

}  // namespace detail::special

template <class T> T erfinv_op::value(T x) {
  return detail::special::normal_quantile(T(0.5) * x + T(0.5)) * T(0.70710678118654752440);
}
template <class T> T ndtri_op::value(T x) { return detail::special::normal_quantile(x); }
template <class T> T lgamma_op::value(T x) { return detail::log_gamma(x); }
template <class T> T digamma_op::value(T x) { return detail::digamma_number(x); }
template <class T> T zeta_op::value(T x, T q) { return detail::special::hurwitz_zeta(x, q); }
template <class T> T polygamma_op::value(T a, T x) {
  if (std::floor(a) != a || a < 0) return std::numeric_limits<T>::quiet_NaN();
  if (a == 0) return detail::digamma_number(x);
  return std::pow(T(-1), a + 1) * std::exp(detail::log_gamma(a + 1)) * detail::special::hurwitz_zeta(a + 1, x);
}
template <class T> T igamma_op::value(T a, T x) { return detail::incomplete_gamma(a, x, detail::gamma_part::value); }
template <class T> T igamma_grad_a_op::value(T a, T x) { return detail::incomplete_gamma(a, x, detail::gamma_part::derivative); }
template <class T> T igammac_op::value(T a, T x) {
  if (!(x >= 0) || !(a > 0)) return std::numeric_limits<T>::quiet_NaN();
  if (x < 1 || x < a) return 1 - detail::gamma_series(a, x, detail::gamma_part::value);
  return detail::gamma_fraction(a, x, detail::gamma_part::value);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape betainc_op::shape(shape_context& c, const flowgraph::shape& a,
                                                               const flowgraph::shape& b, const flowgraph::shape& x) const {
  flowgraph::shape result;
  bool unknown = false, found = false;
  for (const flowgraph::shape* s : {&a, &b, &x}) {
    if (s->rank == 0) continue;
    if (!s->has_rank()) {
      unknown = true;
      continue;
    }
    if (found && !fits(result, *s)) return c.fail("expected three inputs of one shape, or scalars");
    result = found ? merged(result, *s) : *s;
    found = true;
  }
  return unknown && !found ? flowgraph::shape::unknown() : result;
}

template <class T> void betainc_op::operator()(cpu ctx, view<const T> a, view<const T> b, view<const T> x, view<T> y) const {
  const std::size_t a_step = a.rank() > 0, b_step = b.rank() > 0, x_step = x.rank() > 0;
  const auto size = static_cast<std::int64_t>(y.size());
  ctx.parallel_ranges(size, detail::pointwise_per_block, [&](std::int64_t first, std::int64_t last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
      y[i] = detail::special::incomplete_beta(a[i * a_step], b[i * b_step], x[i * x_step]);
  });
}

}
}  // namespace flowgraph
