#include <flowgraph/ops/training/proximal.hpp>

#include "step.hpp"

using namespace training_test;

TEST_CASE("ProximalGradientDescent: after the step, toward zero by l1 and divided for l2") {
  for (const double l1 : {0., 0.5, 100.})
    check_step<1>(
        [&](const variables& v, auto gradient, auto number) {
          return fg::apply(fg::site{}, fg::apply_proximal_gradient_descent_op{}, v[0], number(0.1), number(l1), number(0.2),
                           gradient);
        },
        [&](double g, auto& x) { x[0] = shrunk(x[0] - 0.1 * g, 0.1 * l1) / (1 + 0.1 * 0.2); });
}

TEST_CASE("ProximalAdagrad: the same with Adagrad's rate of each element") {
  check_step<2>(
      [](const variables& v, auto gradient, auto number) {
        return fg::apply(fg::site{}, fg::apply_proximal_adagrad_op{}, v[0], v[1], number(0.1), number(0.5), number(0.2),
                         gradient);
      },
      [](double g, auto& x) {
        x[1] += g * g;
        const double step = 0.1 / std::sqrt(x[1]);
        x[0] = shrunk(x[0] - step * g, step * 0.5) / (1 + step * 0.2);
      });
}
