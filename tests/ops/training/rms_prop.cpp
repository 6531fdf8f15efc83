#include <flowgraph/ops/training/rms_prop.hpp>

#include "step.hpp"

using namespace training_test;

TEST_CASE("RMSProp: divides by the root of the mean square, with momentum") {
  check_step<3>(
      [](const variables& v, auto gradient, auto number) {
        return fg::apply(fg::site{}, fg::apply_rms_prop_op{}, v[0], v[1], v[2], number(0.1), number(0.9), number(0.5),
                         number(1e-3), gradient);
      },
      [](double g, auto& x) {
        x[1] = 0.9 * x[1] + 0.1 * g * g;
        x[2] = 0.5 * x[2] + 0.1 * g / std::sqrt(x[1] + 1e-3);
        x[0] -= x[2];
      });
}

TEST_CASE("CenteredRMSProp: divides by the root of the variance") {
  check_step<4>(
      [](const variables& v, auto gradient, auto number) {
        return fg::apply(fg::site{}, fg::apply_centered_rms_prop_op{}, v[0], v[1], v[2], v[3], number(0.1), number(0.9),
                         number(0.5), number(1e-3), gradient);
      },
      [](double g, auto& x) {  // variable, mean, mean square, momentum
        x[2] = 0.9 * x[2] + 0.1 * g * g;
        x[1] = 0.9 * x[1] + 0.1 * g;
        x[3] = 0.5 * x[3] + 0.1 * g / std::sqrt(x[2] - x[1] * x[1] + 1e-3);
        x[0] -= x[3];
      });
}
