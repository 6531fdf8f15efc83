#pragma once
// The variable updates of training, by the formulas of TensorFlow's ApplyGradientDescent, ApplyMomentum, ApplyAdam and
// ApplyAdagrad.

#include <flowgraph/ops/kernel/packet.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel {

namespace FLOWGRAPH_LEVEL {

// Calls step(load, store) for every packet of n elements; load and store handle the last, shorter packet. If the step has a third
// parameter, it is the number of lanes in use.
template <class T, class Step> FLOWGRAPH_ALWAYS_INLINE void for_each_packet(std::int64_t n, const Step& step) {
  using P = packet<T>;
  const auto call = [&](auto load, auto store, std::int64_t lanes) __attribute__((always_inline)) {
    if constexpr (requires { step(load, store, lanes); }) step(load, store, lanes);
    else step(load, store);
  };
  std::int64_t i = 0;
  for (; i + P::width <= n; i += P::width) {
    call(
        [i](const T* p) __attribute__((always_inline)) { return P::load(p + i); },
        [i](T * p, P x) __attribute__((always_inline)) { x.store(p + i); }, P::width);
  }
  if (i < n) {
    call(
        [ i, n ](const T* p) __attribute__((always_inline)) { return P::load(p + i, n - i, T(0)); },
        [ i, n ](T * p, P x) __attribute__((always_inline)) { x.store(p + i, n - i); }, n - i);
  }
}

}  // namespace FLOWGRAPH_LEVEL

template <> template <class T> void kernels<own>::sgd(T* w, const T* g, T rate, std::int64_t n) {
  FLOWGRAPH_LEVEL::for_each_packet<T>(
      n, [=](auto load, auto store) __attribute__((always_inline)) { store(w, load(w) - load(g) * rate); });
}

template <>
template <class T>
void kernels<own>::momentum(T* w, T* m, const T* g, T rate, T momentum, bool nesterov, std::int64_t n) {
  FLOWGRAPH_LEVEL::for_each_packet<T>(
      n, [=](auto load, auto store) __attribute__((always_inline)) {
        const auto gradient = load(g), moved = load(m) * momentum + gradient;
        store(m, moved);
        store(w, load(w) - (nesterov ? gradient * rate + moved * momentum * rate : moved * rate));
      });
}

template <>
template <class T>
void kernels<own>::adam(T* w, T* m, T* v, const T* g, T rate_t, T beta1, T beta2, T epsilon, bool nesterov, std::int64_t n) {
  FLOWGRAPH_LEVEL::for_each_packet<T>(
      n, [=](auto load, auto store) __attribute__((always_inline)) {
        const auto gradient = load(g), old_mean = load(m), old_square = load(v);
        const auto mean = old_mean + (gradient - old_mean) * (1 - beta1);
        const auto mean_square = old_square + (gradient * gradient - old_square) * (1 - beta2);
        store(m, mean);
        store(v, mean_square);
        const auto direction = nesterov ? gradient * (1 - beta1) + mean * beta1 : mean;
        store(w, load(w) - direction * rate_t / (sqrt(mean_square) + epsilon));
      });
}

template <> template <class T> void kernels<own>::adagrad(T* w, T* accum, const T* g, T rate, bool grows, std::int64_t n) {
  using P = FLOWGRAPH_LEVEL::packet<T>;
  // Rows of tables are short. Without masks, a packet is slower than the few numbers behind the last whole one. A single number
  // needs no packet in any case.
  const std::int64_t rest = n % P::width, whole = P::width <= 4 || rest == 1 ? n - rest : n;
  FLOWGRAPH_LEVEL::for_each_packet<T>(
      whole, [=](auto load, auto store, std::int64_t lanes) __attribute__((always_inline)) {
        const P gradient = load(g), old = load(w);
        P sum = load(accum);
        if (grows) {
          sum = sum + gradient * gradient;
          store(accum, sum);
        }
        store(w, old - over_root(gradient * rate, sum, lanes));
      });
  for (std::int64_t i = whole; i < n; ++i) {
    if (grows) accum[i] += g[i] * g[i];
    w[i] -= over_root(P(g[i] * rate), P(accum[i]), 1).value[0];
  }
}

}  // namespace flowgraph::kernel
