#pragma once
// Numbers that look like weights and inputs, and that another program can make too: 0.6 sin(step * i + first).

#include <flowgraph/ops/rnn/lstm_cell.hpp>

#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

#include "../evaluate.hpp"

#include <cmath>

namespace rnn_test {

using ops_test::values;

// The word that ends a sequence.
inline constexpr std::int32_t end = 1;

template <class T> fg::tensor<T> wave_values(const fg::shape& shape, double step, double first) {
  fg::tensor<T> made(shape);
  double i = 0;
  for (T& element : made.writable()) element = static_cast<T>(0.6 * std::sin(step * i++ + first));
  return made;
}
template <class T> fg::out<T> wave(const fg::graph& g, const fg::shape& shape, double step, double first) {
  return fg::constant(g, wave_values<T>(shape, step, first));
}

// The step and the begin of each kernel and each bias, in the order in which a cell makes them.
using waves = std::vector<std::pair<double, double>>;
template <class T, class Options = fg::cell_options<T>> Options weights_as(const waves& kernels, const waves& biases) {
  const auto next_of = [](const waves& list) {
    return [list, next = std::size_t(0)](const fg::shape& s) mutable {
      const auto [step, first] = list.at(next++);
      return fg::initial_tensor(wave_values<T>(s, step, first));
    };
  };
  Options o;
  o.kernel = next_of(kernels);
  o.bias = next_of(biases);
  return o;
}
template <class T> fg::cell_options<T> weights() { return weights_as<T>({{0.7, 0.3}}, {{0.5, 0.1}}); }
template <class T> fg::lstm_options<T> lstm_weights() { return weights_as<T, fg::lstm_options<T>>({{0.7, 0.3}}, {{0.5, 0.1}}); }
template <class T> fg::cell_options<T> gru_weights() { return weights_as<T>({{0.7, 0.3}, {1.1, 0.4}}, {{0.5, 0.1}, {0.3, 0.2}}); }

template <class T> void close(const fg::tensor<T>& found, const std::vector<T>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i] == doctest::Approx(expected[i]).epsilon(2e-7 * (sizeof(T) == 4 ? 10 : 1)).scale(1));
  }
}

}  // namespace rnn_test
