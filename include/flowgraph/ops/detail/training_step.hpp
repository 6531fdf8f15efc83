#pragma once
// One step of a method over a contiguous range: packets for float and double, halves in float, complex numbers one by one.

#include <flowgraph/ops/detail/elementwise.hpp>
#include <flowgraph/ops/kernel/dispatch.hpp>

#include <cmath>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// What T's arithmetic happens in.
template <class T>
using computed = std::conditional_t<is_half<T>, float, T>;

template <class T>
void sgd_step(T* w, const T* g, T rate, std::int64_t n) {
  if constexpr (has_packets<T>) {
    kernel::dispatch([]<class L>(L) { return &L::template sgd<T>; })(w, g, rate, n);
  } else {
    using C = computed<T>;
    for (std::int64_t i = 0; i < n; ++i) w[i] = T(C(w[i]) - C(rate) * C(g[i]));
  }
}

template <class T>
void momentum_step(T* w, T* m, const T* g, T rate, T momentum, bool nesterov, std::int64_t n) {
  if constexpr (has_packets<T>) {
    kernel::dispatch([]<class L>(L) { return &L::template momentum<T>; })(w, m, g, rate, momentum, nesterov, n);
  } else {
    using C = computed<T>;
    const C lr(rate), keep(momentum);
    for (std::int64_t i = 0; i < n; ++i) {
      const C moved = C(m[i]) * keep + C(g[i]);
      m[i] = T(moved);
      w[i] = T(C(w[i]) - (nesterov ? C(g[i]) * lr + moved * keep * lr : moved * lr));
    }
  }
}

template <class T>
struct adam_step {
  using C = computed<T>;
  C rate, beta1, beta2, epsilon;

  adam_step(T lr, T beta1_power, T beta2_power, T b1, T b2, T e)
      : rate(C(lr) * std::sqrt(C(1) - C(beta2_power)) / (C(1) - C(beta1_power))), beta1(b1), beta2(b2), epsilon(e) {}

  void operator()(T* w, T* m, T* v, const T* g, bool nesterov, std::int64_t n) const {
    if constexpr (has_packets<T>) {
      kernel::dispatch([]<class L>(L) { return &L::template adam<T>; })(w, m, v, g, rate, beta1, beta2, epsilon, nesterov, n);
    } else {
      for (std::int64_t i = 0; i < n; ++i) {
        const C gradient(g[i]);
        const C mean = C(m[i]) + (gradient - C(m[i])) * (C(1) - beta1);
        const C square = C(v[i]) + (gradient * gradient - C(v[i])) * (C(1) - beta2);
        m[i] = T(mean);
        v[i] = T(square);
        const C direction = nesterov ? gradient * (C(1) - beta1) + mean * beta1 : mean;
        w[i] = T(C(w[i]) - direction * rate / (std::sqrt(square) + epsilon));
      }
    }
  }
};

}  // namespace detail

}  // namespace flowgraph
