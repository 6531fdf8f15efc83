#pragma once
// The older form of BiasAdd.

#include <flowgraph/ops/nn/bias.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Adds one number per channel to a batch. The channels are the last axis.
struct bias_add_v1_op {
  static constexpr std::string_view name = "BiasAddV1";
  using types = numbers;
  static constexpr op_facts facts{.in_place = true};

  constexpr flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& bias) const {
    return bias_add_op{}.shape(c, x, bias);
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const T> bias, view<T> y) const;
  template <class T> gradients_of<T, 2> gradient(out<T>, out<T>, out<T>, out<T> dy) const { return {{dy, bias_add_grad(dy)}}; }
};

using bias_v1_ops = type_list<bias_add_v1_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/nn/detail/bias_v1.hpp>
#endif
