#pragma once

#include <flowgraph/ops/training/detail/update.hpp>
#include <flowgraph/ops/kernel/dispatch.hpp>
#include <flowgraph/ops/training/training.hpp>

#include <cmath>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

template <class T> struct gradient_descent_step {
  using C = computed<T>;
  C rate;

  template <class Op> gradient_descent_step(const Op&, const std::array<C, 1>& s) : rate(s[0]) {}
  void operator()(C g, C& w) const { w -= rate * g; }
  void packets(T* const* v, const T* g, std::int64_t n) const
    requires has_packets<T> {
    kernel::dispatch([]<class L>(L) { return &L::template sgd<T>; })(v[0], g, rate, n);
  }
};

template <class T> struct momentum_step {
  using C = computed<T>;
  C rate, keep;
  bool nesterov;

  template <class Op>
  momentum_step(const Op& op, const std::array<C, 2>& s) : rate(s[0]), keep(s[1]), nesterov(op.use_nesterov) {}
  void operator()(C g, C& w, C& m) const {
    m = m * keep + g;
    w -= nesterov ? g * rate + m * keep * rate : m * rate;
  }
  void packets(T* const* v, const T* g, std::int64_t n) const
    requires has_packets<T> {
    kernel::dispatch([]<class L>(L) { return &L::template momentum<T>; })(v[0], v[1], g, rate, keep, nesterov, n);
  }
};

template <class T> struct adam_step {
  using C = computed<T>;
  C rate, beta1, beta2, epsilon;
  bool nesterov;

  template <class Op>
  adam_step(const Op& op, const std::array<C, 6>& s)
      : rate(s[2] * std::sqrt(C(1) - s[1]) / (C(1) - s[0])), beta1(s[3]), beta2(s[4]), epsilon(s[5]), nesterov(op.use_nesterov) {}
  void operator()(C g, C& w, C& m, C& v) const {
    m += (g - m) * (C(1) - beta1);
    v += (g * g - v) * (C(1) - beta2);
    w -= (nesterov ? g * (C(1) - beta1) + m * beta1 : m) * rate / (std::sqrt(v) + epsilon);
  }
  void packets(T* const* v, const T* g, std::int64_t n) const
    requires has_packets<T> {
    kernel::dispatch([]<class L>(L) { return &L::template adam<T>; })(v[0], v[1], v[2], g, rate, beta1, beta2, epsilon, nesterov,
                                                                      n);
  }
};

}  // namespace flowgraph::detail
