#include <flowgraph/ops/training/ftrl.hpp>

#include "step.hpp"

using namespace training_test;

namespace {

// By the formula above the op; shrinkage as in FtrlV2.
void follow(double g, std::array<double, 3>& x, double l1, double shrinkage) {
  const double rate = 0.1, l2 = 0.2, grown = x[1] + g * g;
  x[2] += g + 2 * shrinkage * x[0] - (std::sqrt(grown) - std::sqrt(x[1])) / rate * x[0];
  x[1] = grown;
  x[0] = std::fabs(x[2]) > l1 ? (std::copysign(l1, x[2]) - x[2]) / (std::sqrt(grown) / rate + 2 * l2) : 0;
}

}  // namespace

TEST_CASE("Ftrl: l1 makes small numbers zero") {
  for (const double l1 : {0.01, 100.})
    check_step<3>(
        [&](const variables& v, auto gradient, auto number) {
          return fg::apply(fg::site{}, fg::apply_ftrl_op{}, v[0], v[1], v[2], gradient, number(0.1), number(l1), number(0.2),
                           number(-0.5));
        },
        [&](double g, auto& x) { follow(g, x, l1, 0); });
}

TEST_CASE("FtrlV2: what shrinks the variable enters the linear term") {
  check_step<3>(
      [](const variables& v, auto gradient, auto number) {
        return fg::apply(fg::site{}, fg::apply_ftrl_v2_op{}, v[0], v[1], v[2], gradient, number(0.1), number(0.01), number(0.2),
                         number(0.3), number(-0.5));
      },
      [](double g, auto& x) { follow(g, x, 0.01, 0.3); });
}

TEST_CASE("SparseApplyFtrl refuses a rate that is not positive, by name") {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<double>({2, 1}, {1, 2})), a = g.variable("a", fg::tensor<double>({2, 1}, {1, 1})),
             l = g.variable("l", fg::tensor<double>({2, 1}, {0, 0}));
  const auto number = [&](double x) { return g.constant(x); };
  const auto step = fg::apply(fg::site{}, fg::sparse_apply_ftrl_op{}, w, a, l, g.constant(fg::tensor<double>({1, 1}, {1})),
                              g.constant(fg::tensor<std::int32_t>({1}, {0})), number(0), number(0.1), number(0.1), number(-0.5));
  fg::session s{g};
  s.initialize();
  const auto made = s.try_run(fg::fetch(step));
  REQUIRE_FALSE(made);
  CHECK(std::string_view(made.error().what()).find("lr must be positive") != std::string_view::npos);
}
