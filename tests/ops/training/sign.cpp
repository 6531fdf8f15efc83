#include <flowgraph/ops/training/sign.hpp>

#include "step.hpp"

using namespace training_test;

namespace {

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

}  // namespace

TEST_CASE("AddSign: longer steps where the gradient goes the way of its mean") {
  check_step<2>(
      [](const variables& v, auto gradient, auto number) {
        return fg::apply(fg::site{}, fg::apply_add_sign_op{}, v[0], v[1], number(0.1), number(1.5), number(0.5), number(0.9),
                         gradient);
      },
      [](double g, auto& x) {
        x[1] = 0.9 * x[1] + 0.1 * g;
        x[0] -= 0.1 * (1.5 + 0.5 * sign(g) * sign(x[1])) * g;
      });
}

TEST_CASE("PowerSign: the same by a power") {
  check_step<2>(
      [](const variables& v, auto gradient, auto number) {
        return fg::apply(fg::site{}, fg::apply_power_sign_op{}, v[0], v[1], number(0.1), number(0.7), number(0.5), number(0.9),
                         gradient);
      },
      [](double g, auto& x) {
        x[1] = 0.9 * x[1] + 0.1 * g;
        x[0] -= 0.1 * std::exp(0.7 * 0.5 * sign(g) * sign(x[1])) * g;
      });
}
