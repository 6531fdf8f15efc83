#pragma once

#include <flowgraph/core/tensor.hpp>

#include <cstdint>

namespace ops_test {

// Small whole numbers, from a state: sums of their products are exact.
template <class T = float> flowgraph::tensor<T> digits(const flowgraph::shape& shape, std::uint32_t state) {
  flowgraph::tensor<T> t(shape);
  for (T& e : t.writable()) {
    state = state * 1664525u + 1013904223u;
    e = static_cast<T>(static_cast<float>(static_cast<int>(state >> 24) % 5 - 2));
  }
  return t;
}

}  // namespace ops_test
