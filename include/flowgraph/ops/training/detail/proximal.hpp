#pragma once

#include <flowgraph/ops/training/detail/update.hpp>
#include <flowgraph/ops/training/proximal.hpp>

#include <cmath>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

template <class T> struct proximal_gradient_descent_step {
  using C = computed<T>;
  static constexpr bool wants_columns = true;
  C rate, l1, l2;

  template <class Op> proximal_gradient_descent_step(const Op&, const std::array<C, 3>& s) : rate(s[0]), l1(s[1]), l2(s[2]) {}
  void operator()(C g, C& w) const {
    const C moved = w - g * rate;
    w = (l1 > 0 ? shrunk(moved, rate * l1) : moved) / (C(1) + l2 * rate);
  }
};

template <class T> struct proximal_adagrad_step {
  using C = computed<T>;
  static constexpr bool wants_columns = true;
  C rate, l1, l2;

  template <class Op> proximal_adagrad_step(const Op&, const std::array<C, 3>& s) : rate(s[0]), l1(s[1]), l2(s[2]) {}
  const char* refusal() const {
    if (!(rate > 0)) return "lr must be positive";
    if (!(l1 >= 0)) return "l1 must not be negative";
    return l2 >= 0 ? nullptr : "l2 must not be negative";
  }
  void operator()(C g, C& w, C& accum) const {
    accum += g * g;
    const C step = rate / std::sqrt(accum), moved = w - g * step;
    w = (l1 > 0 ? shrunk(moved, l1 * step) : moved) / (C(1) + l2 * step);
  }
};

}  // namespace flowgraph::detail
