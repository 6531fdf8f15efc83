#pragma once

#include <flowgraph/ops/training/detail/training.hpp>
#include <flowgraph/ops/training/lazy_adam.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// A shrinking by sgd's arithmetic, whose gradient is the variable itself, then Adam's step.
template <class T> struct adamw_step {
  using C = computed<T>;
  C decay;
  adam_step<T> adam;

  struct without_attributes {
    bool use_nesterov = false;
  };

  template <class Op>
  adamw_step(const Op&, const std::array<C, 7>& s)
      : decay(s[6]), adam(without_attributes{}, std::array<C, 6>{s[0], s[1], s[2], s[3], s[4], s[5]}) {}
  void operator()(C g, C& w, C& m, C& v) const {
    w -= w * decay;
    adam(g, w, m, v);
  }
  void packets(T* const* v, const T* g, std::int64_t n) const
    requires has_packets<T> {
    kernel::dispatch([]<class L>(L) { return &L::template sgd<T>; })(v[0], v[0], decay, n);
    adam.packets(v, g, n);
  }
};

}  // namespace flowgraph::detail
