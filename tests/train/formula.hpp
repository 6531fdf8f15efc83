#pragma once
// Holds an optimizer against the formula that it stands for: three elements of one variable, by dense and by sliced gradients.

#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/train/optimizer.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <vector>

namespace train_test {

namespace fg = flowgraph;

inline constexpr double target = 0.5;

template <class T> std::vector<double> values_of(const fg::tensor<T>& t) { return {t.begin(), t.end()}; }

// Trains w from {1, -2, 3} toward 0.5, by the squared distance, through a lookup or not.
template <class T, class Method> std::vector<double> trained_by(const Method& method, int steps, bool lookup) {
  fg::graph g;
  auto w = g.variable("w", fg::tensor<T>({3, 1}, {T(1), T(-2), T(3)}));
  auto rows = lookup ? fg::gather(w, g.constant(fg::tensor<std::int32_t>({3}, {2, 0, 1}))) : fg::out<T>(w);
  auto train = method.minimize(fg::sum(fg::square(rows - T(target))));
  fg::session s{g};
  s.initialize();
  for (int i = 0; i < steps; ++i) s.run(train);
  return values_of(s.run(fg::fetch(w)));
}

// The same by a formula: update(w, memory, gradient, step) with three numbers to remember, zeros at first.
template <class Update> std::vector<double> expected(int steps, Update update) {
  std::vector<double> made;
  for (const double start : {1., -2., 3.}) {
    double w = start, memory[3] = {};
    for (int i = 1; i <= steps; ++i) update(w, memory, 2 * (w - target), i);
    made.push_back(w);
  }
  return made;
}

template <class Method, class Update> void check_follows(const Method& method, Update update) {
  const auto right = expected(4, update);
  const auto check = [&](const std::vector<double>& found, double epsilon) {
    REQUIRE(found.size() == right.size());
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == doctest::Approx(right[i]).epsilon(epsilon));
  };
  for (const bool lookup : {false, true}) {
    CAPTURE(lookup);
    check(trained_by<float>(method, 4, lookup), 1e-4);
    check(trained_by<double>(method, 4, lookup), 1e-6);  // rates are floats
  }
}

inline double soft(double x, double bound) { return std::copysign(std::fmax(std::fabs(x) - bound, 0), x); }

// Each name is that of a node of the graph.
inline void check_names(const fg::graph& g, std::initializer_list<const char*> names) {
  for (const char* name : names) CHECK_MESSAGE(g.find(name) != nullptr, name);
}

}  // namespace train_test
