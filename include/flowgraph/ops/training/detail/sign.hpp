#pragma once

#include <flowgraph/ops/training/detail/update.hpp>
#include <flowgraph/ops/training/sign.hpp>

#include <cmath>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

template <class T> struct add_sign_step {
  using C = computed<T>;
  C rate, alpha, decay, beta;

  template <class Op> add_sign_step(const Op&, const std::array<C, 4>& s) : rate(s[0]), alpha(s[1]), decay(s[2]), beta(s[3]) {}
  void operator()(C g, C& w, C& m) const {
    m = m * beta + g * (C(1) - beta);
    w -= rate * (alpha + decay * direction_of(g) * direction_of(m)) * g;
  }
};

template <class T> struct power_sign_step {
  using C = computed<T>;
  C rate, log_base, decay, beta;

  template <class Op>
  power_sign_step(const Op&, const std::array<C, 4>& s) : rate(s[0]), log_base(s[1]), decay(s[2]), beta(s[3]) {}
  void operator()(C g, C& w, C& m) const {
    m = m * beta + g * (C(1) - beta);
    w -= rate * std::exp(log_base * decay * direction_of(g) * direction_of(m)) * g;
  }
};

}  // namespace flowgraph::detail
