#pragma once

#include <flowgraph/ops/kernel/dispatch.hpp>
#include <flowgraph/ops/training/detail/update.hpp>
#include <flowgraph/ops/training/adagrad.hpp>

#include <cmath>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

template <class T> struct adagrad_step {
  using C = computed<T>;
  static constexpr bool wants_columns = true;
  C rate;
  bool grows;

  template <class Op> adagrad_step(const Op& op, const std::array<C, 1>& s) : rate(s[0]), grows(op.update_slots) {}
  void operator()(C g, C& w, C& accum) const {
    if (grows) accum += g * g;
    w -= g * rate / std::sqrt(accum);
  }
  void packets(T* const* v, const T* g, std::int64_t n) const
    requires has_packets<T> {
    kernel::dispatch([]<class L>(L) { return &L::template adagrad<T>; }, kernel::level_of_rows(n))(v[0], v[1], g, rate, grows, n);
  }
};

template <class T> struct adagrad_v2_step {
  using C = computed<T>;
  static constexpr bool wants_columns = true;
  C rate, epsilon;
  bool grows;

  template <class Op>
  adagrad_v2_step(const Op& op, const std::array<C, 2>& s) : rate(s[0]), epsilon(s[1]), grows(op.update_slots) {}
  void operator()(C g, C& w, C& accum) const {
    if (grows) accum += g * g;
    w -= g * rate / (std::sqrt(accum) + epsilon);
  }
};

// The sparse form divides the sums by the number of steps, so its result after no step is NaN. As in TensorFlow, rows of one element
// are updated by the dense form.
template <class T> struct adagrad_da_step {
  using C = computed<T>;
  static constexpr bool wants_columns = true;
  C rate, l1, l2, count;
  bool divides;

  template <class Op>
  adagrad_da_step(const Op&, const std::array<C, 3>& s, std::int64_t step)
      : rate(s[0]), l1(s[1]), l2(s[2]), count(static_cast<C>(step)), divides(Op::is_sparse) {}
  void operator()(C g, C& w, C& sum, C& squares) const {
    sum += g;
    squares += g * g;
    const C root = std::sqrt(squares);
    if (divides) w = -direction_of(sum) * left(std::abs(sum) / count, l1) / (l2 + root / (count * rate));
    else w = -rate * direction_of(sum) * left(std::abs(sum), l1 * count) / (l2 * count * rate + root);
  }
  void set_row_size(std::int64_t elements) { divides = divides && elements > 1; }
  C left(C size, C bound) const { return !(l1 > 0) ? size : size < bound ? C(0) : size - bound; }
};

template <class T> struct adadelta_step {
  using C = computed<T>;
  C rate, rho, epsilon;

  template <class Op> adadelta_step(const Op&, const std::array<C, 3>& s) : rate(s[0]), rho(s[1]), epsilon(s[2]) {}
  void operator()(C g, C& w, C& accum, C& accum_update) const {
    accum = accum * rho + g * g * (C(1) - rho);
    const C update = std::sqrt(accum_update + epsilon) / std::sqrt(accum + epsilon) * g;
    w -= update * rate;
    accum_update = accum_update * rho + update * update * (C(1) - rho);
  }
};

}  // namespace flowgraph::detail
