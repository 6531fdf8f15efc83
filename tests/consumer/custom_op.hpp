#pragma once
// An op of the consumer's own. It lives in a static library and is found by name once it is registered.

#include <flowgraph/flowgraph.hpp>

#include <string_view>

// 2x.
struct twice {
  static constexpr std::string_view name = "Twice";
  using types = flowgraph::floating;

  constexpr flowgraph::shape shape(flowgraph::shape x) const { return x; }

  template <class T> void operator()(flowgraph::cpu, flowgraph::view<const T> x, flowgraph::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + x[i];
  }

  template <class T> flowgraph::out<T> gradient(flowgraph::out<T>, flowgraph::out<T>, flowgraph::out<T> dy) const {
    return flowgraph::apply(twice{}, dy);
  }
};

void register_custom_ops(flowgraph::registry& ops);
