#include <flowgraph/ops/training/lazy_adam.hpp>

#include "step.hpp"

using namespace training_test;

namespace {

void adam(double g, std::array<double, 3>& x) {
  x[1] += 0.1 * (g - x[1]);
  x[2] += 0.01 * (g * g - x[2]);
  x[0] -= 0.1 * std::sqrt(1 - 0.98) / (1 - 0.81) * x[1] / (std::sqrt(x[2]) + 1e-3);
}
fg::out<std::int32_t> rows_beside(const fg::out<double>& gradient) {
  return fg::graph_of(*gradient.source).constant(fg::tensor<std::int32_t>({2}, {2, 1}));
}

}  // namespace

TEST_CASE("LazyAdam: Adam's step of the rows that are named; all that belongs to others stays") {
  check_step<3>(
      [](const variables& v, auto gradient, auto number) {
        return fg::apply(fg::site{}, fg::sparse_apply_lazy_adam_op{}, v[0], v[1], v[2], number(0.81), number(0.98), number(0.1),
                         number(0.9), number(0.99), number(1e-3), gradient, rows_beside(gradient));
      },
      [](double g, auto& x) { adam(g, x); }, {2, 1});
}

TEST_CASE("LazyAdamW: the rows shrink before the step") {
  check_step<3>(
      [](const variables& v, auto gradient, auto number) {
        return fg::apply(fg::site{}, fg::sparse_apply_lazy_adamw_op{}, v[0], v[1], v[2], number(0.81), number(0.98), number(0.1),
                         number(0.9), number(0.99), number(1e-3), number(0.25), gradient, rows_beside(gradient));
      },
      [](double g, auto& x) {
        x[0] *= 0.75;
        adam(g, x);
      },
      {2, 1});
}
