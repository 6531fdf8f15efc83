#pragma once

#include <flowgraph/ops/training/detail/update.hpp>
#include <flowgraph/ops/training/rms_prop.hpp>

#include <cmath>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// A mean that forgets by rho. TensorFlow's sparse form writes it as a sum, its dense one as a step: infinities tell.
template <class C> C forgetting_mean(C mean, C x, C rho, bool is_sum) {
  return is_sum ? mean * rho + x * (C(1) - rho) : mean + (x - mean) * (C(1) - rho);
}

template <class T> struct rms_prop_step {
  using C = computed<T>;
  C rate, rho, momentum, epsilon;
  bool is_sum;

  template <class Op>
  rms_prop_step(const Op&, const std::array<C, 4>& s)
      : rate(s[0]), rho(s[1]), momentum(s[2]), epsilon(s[3]), is_sum(Op::is_sparse) {}
  void operator()(C g, C& w, C& mean_square, C& moved) const {
    mean_square = forgetting_mean(mean_square, g * g, rho, is_sum);
    moved = moved * momentum + g * rate / std::sqrt(mean_square + epsilon);
    w -= moved;
  }
};

template <class T> struct centered_rms_prop_step {
  using C = computed<T>;
  C rate, rho, momentum, epsilon;
  bool is_sum;

  template <class Op>
  centered_rms_prop_step(const Op&, const std::array<C, 4>& s)
      : rate(s[0]), rho(s[1]), momentum(s[2]), epsilon(s[3]), is_sum(Op::is_sparse) {}
  void operator()(C g, C& w, C& mean, C& mean_square, C& moved) const {
    mean_square = forgetting_mean(mean_square, g * g, rho, is_sum);
    mean = forgetting_mean(mean, g, rho, is_sum);
    moved = moved * momentum + g * rate / std::sqrt(mean_square - mean * mean + epsilon);
    w -= moved;
  }
};

}  // namespace flowgraph::detail
