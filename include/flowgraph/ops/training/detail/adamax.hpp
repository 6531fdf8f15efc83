#pragma once

#include <flowgraph/ops/training/detail/update.hpp>
#include <flowgraph/ops/training/adamax.hpp>

#include <cmath>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

template <class T> struct adamax_step {
  using C = computed<T>;
  C rate, beta1, beta2, epsilon;

  template <class Op>
  adamax_step(const Op&, const std::array<C, 5>& s) : rate(s[1] / (C(1) - s[0])), beta1(s[2]), beta2(s[3]), epsilon(s[4]) {}
  void operator()(C g, C& w, C& m, C& v) const {
    m += (g - m) * (C(1) - beta1);
    const C size = std::abs(g), kept = beta2 * v;
    v = kept < size ? size : kept;
    w -= rate * (m / (v + epsilon));
  }
};

template <class T> struct amsgrad_step {
  using C = computed<T>;
  C rate, beta1, beta2, epsilon;

  template <class Op>
  amsgrad_step(const Op&, const std::array<C, 6>& s)
      : rate(s[2] * std::sqrt(C(1) - s[1]) / (C(1) - s[0])), beta1(s[3]), beta2(s[4]), epsilon(s[5]) {}
  void operator()(C g, C& w, C& m, C& v, C& largest) const {
    m += (g - m) * (C(1) - beta1);
    v += (g * g - v) * (C(1) - beta2);
    if (largest < v) largest = v;
    w -= m * rate / (std::sqrt(largest) + epsilon);
  }
};

}  // namespace flowgraph::detail
