#pragma once
// Learning-rate schedules: scalars that the graph computes from a counter of steps.
//
//     auto step = g.variable("global_step", fg::tensor<std::int64_t>(0));
//     auto rate = fg::exponential_decay(0.1f, step, 1000, 0.96f);
//     auto train = fg::sgd{.rate = rate}.minimize(loss);
//     auto in_order = g.after(train);
//     auto next = fg::assign_add(step, g.constant<std::int64_t>(1));       // run this
//
// Names, parameters and formulas are TensorFlow's. The counter may have any numeric type. With `staircase`, the quotient step /
// period is rounded down.

#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/math/power.hpp>
#include <flowgraph/ops/math/trigonometry.hpp>
#include <flowgraph/ops/random/random.hpp>

#include <numbers>
#include <optional>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// step / period
template <class N> out<float> share_of(const out<N>& step, float period, bool staircase = false) {
  const out<float> share = cast<float>(step) / period;
  return staircase ? floor(share) : share;
}
// As above, limited to 1.
template <class N> out<float> share_until(const out<N>& step, float period) {
  return minimum(cast<float>(step), period) / period;
}

inline out<float> power_of(float base, const out<float>& exponent) { return pow(scalar_beside(exponent, base), exponent); }

// (1 + cos(pi * x)) / 2: from 1 at 0 to 0 at 1.
inline out<float> half_cosine(const out<float>& x) { return cos(x * std::numbers::pi_v<float>) * 0.5f + 0.5f; }

// (1 - alpha) * x + alpha
inline out<float> above(float alpha, const out<float>& x) { return alpha == 0.f ? x : x * (1 - alpha) + alpha; }

}  // namespace detail

// Returns a rate that decays exponentially: rate * decay_rate ^ (step / decay_steps)
template <class N>
out<float> exponential_decay(operand<float> rate, const out<N>& step, float decay_steps, float decay_rate,
                             bool staircase = false) {
  return detail::power_of(decay_rate, detail::share_of(step, decay_steps, staircase)) * rate;
}

// Returns a rate that decays exponentially, with base e: rate * exp(-decay_rate * step / decay_steps)
template <class N>
out<float> natural_exp_decay(operand<float> rate, const out<N>& step, float decay_steps, float decay_rate,
                             bool staircase = false) {
  return exp(detail::share_of(step, decay_steps, staircase) * -decay_rate) * rate;
}

// Returns a rate that decays inversely with time: rate / (1 + decay_rate * step / decay_steps)
template <class N>
out<float> inverse_time_decay(operand<float> rate, const out<N>& step, float decay_steps, float decay_rate,
                              bool staircase = false) {
  return rate / (detail::share_of(step, decay_steps, staircase) * decay_rate + 1.f);
}

// Options of polynomial_decay.
struct polynomial_options {
  float end = 1e-4f;   // final rate
  float power = 1;     // exponent of the remaining share of steps
  bool cycle = false;  // true: when a period ends, it is extended by decay_steps, and the rate rises again
};
// Returns a rate that falls from `rate` to `end`, by a power of the remaining share of steps:
// (rate - end) * (1 - step / decay_steps) ^ power + end
template <class N>
out<float> polynomial_decay(operand<float> rate, const out<N>& step, float decay_steps, polynomial_options o = {}) {
  out<float> share = detail::share_until(step, decay_steps);
  if (o.cycle) {
    const out<float> at = cast<float>(step), periods = maximum(-floor(-(at / decay_steps)), 1.f);
    share = at / (periods * decay_steps);
  }
  const out<float> left = pow(1.f - share, o.power);
  return rate * left + (1.f - left) * o.end;
}

// Returns a piecewise constant rate: values[i] for the first i with step <= boundaries[i], and the last value after the last
// boundary. The boundaries must be in ascending order, and there must be one value more than boundaries.
template <class N>
out<float> piecewise_constant(const out<N>& step, const std::vector<std::type_identity_t<N>>& boundaries,
                              const std::vector<float>& values, site s = {}) {
  detail::graph_state* const g = detail::graph_of_inputs(std::array<any_out, 1>{step}, "PiecewiseConstant", s);
  if (!g) return {};
  if (values.size() != boundaries.size() + 1) {
    detail::refuse_construction(*g, detail::invalid_argument({"piecewise_constant takes one value more than boundaries, found ",
                                                              values.size(), " values and ", boundaries.size(), " boundaries"})
                                        .at(s.location));
    return {};
  }
  out<float> result = detail::constant_in(*g, tensor<float>(values.back()));
  for (std::size_t i = boundaries.size(); i-- > 0;)
    result = select(less_equal(step, boundaries[i]), detail::constant_in(*g, tensor<float>(values[i])), result);
  return result;
}

// Returns a rate that falls from rate to alpha * rate along half a cosine wave (Loshchilov and Hutter, 2016).
template <class N> out<float> cosine_decay(operand<float> rate, const out<N>& step, float decay_steps, float alpha = 0) {
  return detail::above(alpha, detail::half_cosine(detail::share_until(step, decay_steps))) * rate;
}

// Options of cosine_decay_restarts.
struct restart_options {
  float t_mul = 2;  // factor by which each period is longer than the previous period
  float m_mul = 1;  // factor between the initial rates of successive periods
  float alpha = 0;  // smallest rate, as a fraction of `rate`
};
// Returns a rate that repeatedly falls along half a cosine wave.
template <class N>
out<float> cosine_decay_restarts(operand<float> rate, const out<N>& step, float first_decay_steps, restart_options o = {}) {
  const out<float> share = detail::share_of(step, first_decay_steps);
  out<float> restarts, in_period;
  if (o.t_mul == 1.f) {
    restarts = floor(share);
    in_period = share - restarts;
  } else {
    restarts = floor(log(1.f - share * (1.f - o.t_mul)) / std::log(o.t_mul));
    const out<float> period = detail::power_of(o.t_mul, restarts);
    in_period = (share - (1.f - period) / (1.f - o.t_mul)) / period;
  }
  const out<float> wave = detail::half_cosine(in_period);
  return detail::above(o.alpha, o.m_mul == 1.f ? wave : wave * detail::power_of(o.m_mul, restarts)) * rate;
}

// Options of linear_cosine_decay.
struct linear_cosine_options {
  float num_periods = 0.5f;  // number of cosine periods within decay_steps
  float alpha = 0;           // added to the linear decay
  float beta = 1e-3f;        // added to the product, as a fraction of `rate`
};
// Returns a linear decay multiplied by a cosine wave (Bello et al., 2017). With x = step / decay_steps, the result is
// ((alpha + 1 - x) * (1 + cos(2 * pi * num_periods * x)) / 2 + beta) * rate
template <class N>
out<float> linear_cosine_decay(operand<float> rate, const out<N>& step, float decay_steps, linear_cosine_options o = {}) {
  const out<float> share = detail::share_until(step, decay_steps);
  return ((1.f + o.alpha - share) * detail::half_cosine(share * (2 * o.num_periods)) + o.beta) * rate;
}

// Options of noisy_linear_cosine_decay.
struct noisy_linear_cosine_options {
  float initial_variance = 1;             // variance of the noise at step 0
  float variance_decay = 0.55f;           // exponent with which the variance decays
  float num_periods = 0.5f;               // number of cosine periods within decay_steps
  float alpha = 0;                        // added to the linear decay
  float beta = 1e-3f;                     // added to the product, as a fraction of `rate`
  std::optional<std::int64_t> seed = {};  // seed of the noise; empty: the seed of the graph
};
// Like linear_cosine_decay, but adds noise to the linear decay. The variance of the noise is
// initial_variance / (1 + step) ^ variance_decay.
template <class N>
out<float> noisy_linear_cosine_decay(operand<float> rate, const out<N>& step, float decay_steps,
                                     noisy_linear_cosine_options o = {}) {
  const out<float> share = detail::share_until(step, decay_steps);
  if (!any_out(share).is_usable()) return share;
  const out<float> deviation =
      exp(log(minimum(cast<float>(step), decay_steps) + 1.f) * (-o.variance_decay / 2)) * std::sqrt(o.initial_variance);
  const out<float> noise = random_normal<float>(graph_of(*share.source), shape{}, {.seed = o.seed}) * deviation;
  return ((1.f + o.alpha - share + noise) * detail::half_cosine(share * (2 * o.num_periods)) + o.beta) * rate;
}

}  // namespace flowgraph
