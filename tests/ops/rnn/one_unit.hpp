#pragma once
// Cells of one input and one unit, whose steps can be followed with pencil and paper.

#include <flowgraph/ops/rnn/cell.hpp>

#include "../evaluate.hpp"

#include <cmath>
#include <vector>

namespace rnn_test {

// The weights of a cell's kernels and biases, in the order in which it makes them.
template <class Options> Options with_weights(std::vector<std::vector<double>> kernels, std::vector<std::vector<double>> biases) {
  const auto next_of = [](std::vector<std::vector<double>> list) {
    return [list, next = std::size_t(0)](const fg::shape& s) mutable {
      const std::vector<double>& given = list.at(next++);
      REQUIRE(static_cast<std::size_t>(s.size()) == given.size());
      fg::tensor<double> values(s);
      std::copy(given.begin(), given.end(), values.writable().begin());
      return fg::initial_tensor(values);
    };
  };
  Options made;
  made.kernel = next_of(std::move(kernels));
  made.bias = next_of(std::move(biases));
  return made;
}

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
inline fg::out<double> number_in(const fg::graph& g, double x) { return fg::constant(g, fg::tensor<double>({1, 1}, {x})); }

}  // namespace rnn_test
