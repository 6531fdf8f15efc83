#include <flowgraph/ops/training/adamax.hpp>

#include <flowgraph/ops/state/resource_variable.hpp>

#include "step.hpp"

using namespace training_test;

TEST_CASE("AdaMax: divides by the largest gradient so far, which fades by beta2") {
  check_step<3>(
      [](const variables& v, auto gradient, auto number) {
        return fg::apply(fg::site{}, fg::apply_adamax_op{}, v[0], v[1], v[2], number(0.81), number(0.1), number(0.9), number(0.7),
                         number(1e-3), gradient);
      },
      [](double g, auto& x) {
        x[1] += 0.1 * (g - x[1]);
        x[2] = std::fmax(0.7 * x[2], std::fabs(g));
        x[0] -= 0.1 / (1 - 0.81) * x[1] / (x[2] + 1e-3);
      });
}

TEST_CASE("AdaMax: a gradient that is not a number is seen in the variable") {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<double>({1}, {1})), m = g.variable("m", fg::tensor<double>({1}, {0})),
             v = g.variable("v", fg::tensor<double>({1}, {0}));
  const auto number = [&](double x) { return g.constant(x); };
  const auto step = fg::apply(fg::site{}, fg::apply_adamax_op{}, w, m, v, number(0.9), number(0.1), number(0.9), number(0.9),
                              number(1e-3), g.constant(fg::tensor<double>({1}, {std::nan("")})));
  fg::session s{g};
  s.initialize();
  const fg::tensor<double> made = s.run(fg::fetch(step));
  CHECK(std::isnan(made[0]));
}
