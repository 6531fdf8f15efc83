#include <flowgraph/ops/training/adagrad.hpp>

#include "step.hpp"

using namespace training_test;

TEST_CASE("Adagrad: the rate shrinks by the root of the sum of squares, which grows where it is asked for") {
  for (const bool grows : {true, false})
    check_step<2>(
        [&](const variables& v, auto gradient, auto number) {
          fg::apply_adagrad_op op;
          op.update_slots = grows;
          return fg::apply(fg::site{}, op, v[0], v[1], number(0.1), gradient);
        },
        [&](double g, auto& x) {
          if (grows) x[1] += g * g;
          x[0] -= 0.1 * g / std::sqrt(x[1]);
        });
}

TEST_CASE("AdagradV2: an epsilon is added to the root") {
  check_step<2>(
      [](const variables& v, auto gradient, auto number) {
        return fg::apply(fg::site{}, fg::apply_adagrad_v2_op{}, v[0], v[1], number(0.1), number(0.5), gradient);
      },
      [](double g, auto& x) {
        x[1] += g * g;
        x[0] -= 0.1 * g / (std::sqrt(x[1]) + 0.5);
      });
}

TEST_CASE("AdagradDA: the variable follows from the sums alone") {
  check_step<3>(
      [](const variables& v, auto gradient, auto number) {
        return fg::apply(fg::site{}, fg::apply_adagrad_da_op{}, v[0], v[1], v[2], gradient, number(0.1), number(0.01),
                         number(0.2), fg::graph_of(*gradient.source).constant(std::int64_t(4)));
      },
      [](double g, auto& x) {
        x[1] += g;
        x[2] += g * g;
        x[0] = -0.1 * shrunk(x[1], 0.01 * 4) / (0.2 * 4 * 0.1 + std::sqrt(x[2]));
      });
}

TEST_CASE("SparseApplyAdagradDA: rows of one element are updated as dense ones, also after no step") {
  fg::graph g;
  const auto zeros = [&](const char* name) { return g.variable(name, fg::tensor<float>({2, 1}, {0, 0})); };
  const auto v = zeros("v"), sum = zeros("sum"), squares = zeros("squares");
  const auto gradient = g.constant(fg::tensor<float>({2, 1}, {.5f, .25f}));
  const auto rows = g.constant(fg::tensor<std::int32_t>({2}, {0, 1}));
  const auto changed = fg::apply(fg::site{}, fg::sparse_apply_adagrad_da_op{}, v, sum, squares, gradient, rows, g.constant(.1f),
                                 g.constant(.01f), g.constant(.2f), g.constant(std::int64_t(0)));
  fg::session s{g};
  s.initialize();
  const auto found = s.run(fg::fetch(changed));
  CHECK(found[0] == doctest::Approx(-0.1));
  CHECK(found[1] == doctest::Approx(-0.1));
}

TEST_CASE("Adadelta: updates are as large as earlier updates were, against the gradients") {
  check_step<3>(
      [](const variables& v, auto gradient, auto number) {
        return fg::apply(fg::site{}, fg::apply_adadelta_op{}, v[0], v[1], v[2], number(0.1), number(0.9), number(1e-3), gradient);
      },
      [](double g, auto& x) {
        x[1] = 0.9 * x[1] + 0.1 * g * g;
        const double update = std::sqrt(x[2] + 1e-3) / std::sqrt(x[1] + 1e-3) * g;
        x[0] -= 0.1 * update;
        x[2] = 0.9 * x[2] + 0.1 * update * update;
      });
}

TEST_CASE("SparseApplyAdagrad: rows that are not named keep their numbers") {
  check_step<2>(
      [](const variables& v, auto gradient, auto number) {
        const auto rows = fg::graph_of(*gradient.source).constant(fg::tensor<std::int32_t>({2}, {2, 0}));
        return fg::apply(fg::site{}, fg::sparse_apply_adagrad_op{}, v[0], v[1], number(0.1), gradient, rows);
      },
      [](double g, auto& x) {
        x[1] += g * g;
        x[0] -= 0.1 * g / std::sqrt(x[1]);
      },
      {2, 0});
}
