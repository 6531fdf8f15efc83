#pragma once

#include <flowgraph/op/device.hpp>
#include <flowgraph/op/kernel.hpp>

#include <string_view>

// 3x.
struct thrice_of {
  template <class T> FLOWGRAPH_FUNCTION T operator()(T x) const { return T(3) * x; }
};
struct thrice {
  static constexpr std::string_view name = "Thrice";
  using types = flowgraph::floating;
  static constexpr flowgraph::op_facts facts{.not_differentiable = true};
  constexpr flowgraph::shape shape(flowgraph::shape x) const { return x; }
  template <class T> void operator()(flowgraph::cpu, flowgraph::view<const T> x, flowgraph::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = thrice_of()(x[i]);
  }
};

void add_thrice(flowgraph::device& gpu);
