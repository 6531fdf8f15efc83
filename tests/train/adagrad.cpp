#include <flowgraph/train/adagrad.hpp>

#include "formula.hpp"

namespace fg = flowgraph;
using namespace train_test;

TEST_CASE("Adagrad follows its formula, with dense and with sparse gradients") {
  check_follows(fg::adagrad{.rate = 0.5f, .initial_accumulator = 0.25f}, [](double& w, double* m, double d, int step) {
    if (step == 1) m[0] = 0.25;
    m[0] += d * d;
    w -= 0.5 * d / std::sqrt(m[0]);
  });
}

TEST_CASE("Adagrad with dual averaging follows its formula") {
  check_follows(fg::adagrad_da{.rate = 0.5f, .initial_accumulator = 0.25f, .l1 = 0.125f, .l2 = 0.25f},
                [](double& w, double* m, double d, int step) {
                  if (step == 1) m[1] = 0.25;
                  m[0] += d;
                  m[1] += d * d;
                  w = -0.5 * soft(m[0], 0.125 * step) / (0.25 * step * 0.5 + std::sqrt(m[1]));
                });
}

TEST_CASE("Adadelta follows its formula") {
  check_follows(fg::adadelta{.rate = 0.5f, .rho = 0.75f, .epsilon = 0.125f}, [](double& w, double* m, double d, int) {
    m[0] = 0.75 * m[0] + 0.25 * d * d;
    const double update = std::sqrt(m[1] + 0.125) / std::sqrt(m[0] + 0.125) * d;
    w -= 0.5 * update;
    m[1] = 0.75 * m[1] + 0.25 * update * update;
  });
}

TEST_CASE("Adagrad and its kin: what it remembers is named as in TensorFlow") {
  fg::graph g;
  auto w = g.variable("w", fg::zeros<float>({2}));
  auto loss = fg::sum(fg::square(w - 1.f));
  CHECK(fg::adagrad{.rate = 1}.minimize(loss).source->name == "Adagrad");
  fg::adagrad_da{.rate = 1}.minimize(loss);
  fg::adadelta{}.minimize(loss);
  check_names(g, {"w/Adagrad", "Adagrad/update_w/ApplyAdagrad", "Adagrad/learning_rate", "w/AdagradDA", "w/AdagradDA_1",
                  "global_step", "AdagradDA/update_w/ApplyAdagradDA", "w/Adadelta", "w/Adadelta_1", "Adadelta/lr"});
}

TEST_CASE("rows that a lookup does not name rest, and rows named twice move once by the sum") {
  const auto run = [](auto method) {
    fg::graph g;
    auto w = g.variable("w", fg::tensor<float>({4}, {1, 2, 3, 4}));
    auto train = method.minimize(fg::sum(fg::gather(w, g.constant(fg::tensor<std::int64_t>({3}, {2, 0, 2})))), w);
    fg::session s{g};
    s.initialize();
    s.run(train);
    return values_of(s.run(fg::fetch(w)));
  };
  const auto w = run(fg::adagrad{.rate = 1, .initial_accumulator = 12});
  CHECK(w[0] == doctest::Approx(1 - 1 / std::sqrt(13.)));
  CHECK(w[1] == 2);
  CHECK(w[2] == doctest::Approx(3 - 2 / std::sqrt(16.)));
  CHECK(w[3] == 4);
}

TEST_CASE("steps of dual averaging are counted by the caller, or by the method") {
  const auto run = [](bool counted_by_caller) {
    fg::graph g;
    auto w = g.variable("w", fg::tensor<float>({2}, {1, -1}));
    auto step = g.placeholder<std::int64_t>("step", {});
    auto loss = fg::sum(fg::square(w - 3.f));
    fg::adagrad_da method{.rate = 1, .l1 = 0.5f};
    if (counted_by_caller) method.global_step = step;
    auto train = method.minimize(loss);
    fg::session s{g};
    s.initialize();
    for (std::int64_t i = 0; i < 3; ++i) s.run(train, {{step, i}});
    return values_of(s.run(fg::fetch(w)));
  };
  CHECK(run(true) == run(false));
}

#ifdef FLOWGRAPH_EXCEPTIONS
TEST_CASE("Adagrad: an accumulator that begins at zero or below is an error where the method is used") {
  fg::graph g;
  auto w = g.variable("w", fg::zeros<float>({2}));
  auto loss = fg::sum(fg::square(w));
  CHECK_THROWS_WITH_AS((fg::adagrad{.rate = 1, .initial_accumulator = 0}).minimize(loss), doctest::Contains("greater than zero"),
                       fg::error);
}
#endif
