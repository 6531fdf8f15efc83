#pragma once

#include <flowgraph/ops/training/detail/update.hpp>
#include <flowgraph/ops/training/ftrl.hpp>

#include <cmath>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// A half type's number, rounded after each operation as TensorFlow does: what this method subtracts is nearly equal, and other
// roundings give other results.
template <class T> struct rounded_half {
  float value = 0;

  rounded_half() = default;
  explicit rounded_half(float x) : value(static_cast<float>(T(x))) {}
  explicit rounded_half(T x) : value(static_cast<float>(x)) {}
  explicit operator T() const { return T(value); }
  friend rounded_half operator+(rounded_half a, rounded_half b) { return rounded_half(a.value + b.value); }
  friend rounded_half operator-(rounded_half a, rounded_half b) { return rounded_half(a.value - b.value); }
  friend rounded_half operator*(rounded_half a, rounded_half b) { return rounded_half(a.value * b.value); }
  friend rounded_half operator/(rounded_half a, rounded_half b) { return rounded_half(a.value / b.value); }
  friend rounded_half operator-(rounded_half a) { return rounded_half(-a.value); }
  friend auto operator<=>(rounded_half a, rounded_half b) = default;
  friend rounded_half sqrt(rounded_half x) { return rounded_half(std::sqrt(x.value)); }
  friend rounded_half pow(rounded_half x, rounded_half y) { return rounded_half(std::pow(x.value, y.value)); }
  friend rounded_half abs(rounded_half x) { return rounded_half(std::abs(x.value)); }
};

template <class T> struct ftrl_step {
  using C = std::conditional_t<is_half<T>, rounded_half<T>, T>;
  static constexpr bool wants_columns = true;
  C rate, l1, l2, shrinkage, power;
  bool shrinks, scaled;  // scaled: linear holds what it would, times the rate
  bool is_sparse;

  template <class Op> ftrl_step(const Op& op, const std::array<C, 4>& s) : ftrl_step(op, {s[0], s[1], s[2], C(0.f), s[3]}) {
    shrinks = false;
  }
  template <class Op>
  ftrl_step(const Op& op, const std::array<C, 5>& s)
      : rate(s[0]), l1(s[1]), l2(s[2]), shrinkage(s[3]), power(-s[4]), shrinks(true), scaled(op.multiply_linear_by_lr),
        is_sparse(Op::is_sparse) {}

  // TensorFlow's dense forms take what they get.
  const char* refusal() const {
    const C zero(0.f);
    if (!is_sparse) return nullptr;
    if (!(rate > zero || (scaled && rate == zero))) return "lr must be positive";
    if (!(l1 >= zero)) return "l1 must not be negative";
    if (!(l2 >= zero)) return "l2 must not be negative";
    if (!(shrinkage >= zero)) return "l2_shrinkage must not be negative";
    return power >= zero ? nullptr : "lr_power must not be positive";
  }

  void operator()(C g, C& w, C& accum, C& linear) const {
    using std::abs;
    const C two(2.f), zero(0.f), grown = accum + g * g, used = shrinks ? g + two * shrinkage * w : g;
    const C now = raised(grown), change = now - raised(accum);
    linear = linear + (scaled ? used * rate - change * w : used - change / rate * w);
    const C bound = scaled ? l1 * rate : l1, slope = scaled ? now + two * l2 * rate : now / rate + two * l2;
    // NaN is seen in the sparse form alone.
    if (is_sparse) w = ((bound < linear ? bound : linear < -bound ? -bound : linear) - linear) / slope;
    else w = abs(linear) > bound ? (bound * direction_of(linear) - linear) / slope : zero;
    accum = grown;
  }
  C raised(C x) const {
    using std::pow, std::sqrt;
    return power == C(0.5f) ? sqrt(x) : pow(x, power);
  }
};

}  // namespace flowgraph::detail
