#pragma once
// Random operands of images.

#include <flowgraph/core/tensor.hpp>

#include <random>

namespace ops_test {

template <class T> flowgraph::tensor<T> uniform(const flowgraph::shape& s, unsigned seed, double scale = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> draw(-scale, scale);
  flowgraph::tensor<T> x(s);
  for (T& value : x.writable()) value = static_cast<T>(draw(generator));
  return x;
}

}  // namespace ops_test
