#pragma once
// Holds one step of an optimizer's op against its formula, element by element.

#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/state/variable.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace training_test {

namespace fg = flowgraph;

inline constexpr double gradients[] = {0.3, -0.2, 0.5};
using variables = std::vector<fg::variable<double>>;

// The variable has numbers of both signs, its slots positive ones.
inline double start(std::size_t variable, std::size_t i) {
  return variable == 0 ? 0.9 * static_cast<double>(i) - 0.8 : 0.2 * static_cast<double>(variable) + 0.1 * static_cast<double>(i);
}

// build(variables, gradient, number) adds the op; formula(gradient, variables) does the same to the numbers of one element. With
// `rows`, these alone change.
template <std::size_t N, class Build, class Formula>
void check_step(Build&& build, Formula&& formula, const std::vector<std::size_t>& rows = {0, 1, 2}) {
  fg::graph g;
  variables v;
  for (std::size_t k = 0; k < N; ++k) {
    const fg::tensor<double> first({3, 1}, {start(k, 0), start(k, 1), start(k, 2)});
    v.push_back(g.variable("v" + std::to_string(k), first));
  }
  fg::tensor<double> gradient(fg::shape{static_cast<std::int64_t>(rows.size()), 1});
  for (std::size_t k = 0; k < rows.size(); ++k) gradient.writable()[k] = gradients[rows[k]];
  const auto step = build(v, g.constant(gradient), [&](double x) { return g.constant(x); });
  fg::session s{g};
  s.initialize();
  s.run(fg::fetch(step));
  std::array<std::array<double, N>, 3> expected;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < N; ++k) expected[i][k] = start(k, i);
  for (const std::size_t i : rows) formula(gradients[i], expected[i]);
  for (std::size_t k = 0; k < N; ++k) {
    const fg::tensor<double> found = s.run(fg::fetch(v[k]));
    for (std::size_t i = 0; i < 3; ++i) {
      CAPTURE(k);
      CAPTURE(i);
      CHECK(found[i] == doctest::Approx(expected[i][k]).epsilon(1e-12));
    }
  }
}

// Toward zero by `bound`, and no further.
inline double shrunk(double x, double bound) { return std::copysign(std::fmax(std::fabs(x) - bound, 0), x); }

}  // namespace training_test
