#include <flowgraph/train/adagrad.hpp>
#include <flowgraph/train/adamw.hpp>
#include <flowgraph/train/ftrl.hpp>
#include <flowgraph/train/proximal.hpp>
#include <flowgraph/train/rms_prop.hpp>

#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace fg = flowgraph;

namespace {

constexpr double target = 0.5;

template <class T>
std::vector<double> values_of(const fg::tensor<T>& t) {
  return {t.begin(), t.end()};
}

// Trains w from {1, -2, 3} toward 0.5, by the squared distance, through a lookup or not.
template <class T, class Method>
std::vector<double> trained_by(const Method& method, int steps, bool lookup) {
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
template <class Update>
std::vector<double> expected(int steps, Update update) {
  std::vector<double> made;
  for (const double start : {1., -2., 3.}) {
    double w = start, memory[3] = {};
    for (int i = 1; i <= steps; ++i) update(w, memory, 2 * (w - target), i);
    made.push_back(w);
  }
  return made;
}

template <class Method, class Update>
void check_follows(const Method& method, Update update) {
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

double soft(double x, double bound) { return std::copysign(std::fmax(std::fabs(x) - bound, 0), x); }

}  // namespace

TEST_CASE("methods follow their formulas, with dense and with sparse gradients") {
  SUBCASE("Adagrad") {
    check_follows(fg::adagrad{.rate = 0.5f, .initial_accumulator = 0.25f}, [](double& w, double* m, double d, int step) {
      if (step == 1) m[0] = 0.25;
      m[0] += d * d;
      w -= 0.5 * d / std::sqrt(m[0]);
    });
  }
  SUBCASE("Adagrad with dual averaging") {
    check_follows(fg::adagrad_da{.rate = 0.5f, .initial_accumulator = 0.25f, .l1 = 0.125f, .l2 = 0.25f},
                  [](double& w, double* m, double d, int step) {
                    if (step == 1) m[1] = 0.25;
                    m[0] += d;
                    m[1] += d * d;
                    w = -0.5 * soft(m[0], 0.125 * step) / (0.25 * step * 0.5 + std::sqrt(m[1]));
                  });
  }
  SUBCASE("Adadelta") {
    check_follows(fg::adadelta{.rate = 0.5f, .rho = 0.75f, .epsilon = 0.125f}, [](double& w, double* m, double d, int) {
      m[0] = 0.75 * m[0] + 0.25 * d * d;
      const double update = std::sqrt(m[1] + 0.125) / std::sqrt(m[0] + 0.125) * d;
      w -= 0.5 * update;
      m[1] = 0.75 * m[1] + 0.25 * update * update;
    });
  }
  SUBCASE("RMSProp") {
    for (const bool centered : {false, true})
      check_follows(fg::rms_prop{.rate = 0.125f, .decay = 0.75f, .momentum = 0.5f, .epsilon = 0.0625f, .centered = centered},
                    [&](double& w, double* m, double d, int step) {
                      if (step == 1) m[0] = 1;
                      m[0] = 0.75 * m[0] + 0.25 * d * d;
                      m[1] = 0.75 * m[1] + 0.25 * d;
                      m[2] = 0.5 * m[2] + 0.125 * d / std::sqrt(m[0] - (centered ? m[1] * m[1] : 0) + 0.0625);
                      w -= m[2];
                    });
  }
  SUBCASE("Ftrl") {
    for (const double power : {0.5, 0.75})
      for (const double shrinkage : {0., 0.125})
        check_follows(fg::ftrl{.rate = 0.5f, .rate_power = -power, .l1 = 0.25f, .l2 = 0.125f, .l2_shrinkage = shrinkage},
                      [&](double& w, double* m, double d, int step) {
                        if (step == 1) m[0] = 0.1;
                        const double grown = m[0] + d * d, now = std::pow(grown, power);
                        m[1] += d + 2 * shrinkage * w - (now - std::pow(m[0], power)) / 0.5 * w;
                        w = -soft(m[1], 0.25) / (now / 0.5 + 2 * 0.125);
                        m[0] = grown;
                      });
  }
  SUBCASE("descent with a proximal step") {
    check_follows(fg::proximal_sgd{.rate = 0.125f, .l1 = 0.5f, .l2 = 0.25f},
                  [](double& w, double*, double d, int) { w = soft(w - 0.125 * d, 0.0625) / (1 + 0.125 * 0.25); });
  }
  SUBCASE("Adagrad with a proximal step") {
    check_follows(fg::proximal_adagrad{.rate = 0.5f, .l1 = 0.5f, .l2 = 0.25f}, [](double& w, double* m, double d, int step) {
      if (step == 1) m[0] = 0.1;
      m[0] += d * d;
      const double rate = 0.5 / std::sqrt(m[0]);
      w = soft(w - rate * d, rate * 0.5) / (1 + rate * 0.25);
    });
  }
  SUBCASE("AdamW") {
    check_follows(fg::adamw{.rate = 0.125f, .weight_decay = 0.5f}, [](double& w, double* m, double d, int step) {
      m[0] += 0.1 * (d - m[0]);
      m[1] += 0.001 * (d * d - m[1]);
      w -= 0.125 * 0.5 * w;
      w -= 0.125 * std::sqrt(1 - std::pow(0.999, step)) / (1 - std::pow(0.9, step)) * m[0] / (std::sqrt(m[1]) + 1e-8);
    });
  }
}

TEST_CASE("what methods remember is named as in TensorFlow") {
  fg::graph g;
  auto w = g.variable("w", fg::zeros<float>({2}));
  auto loss = fg::sum(fg::square(w - 1.f));
  CHECK(fg::adagrad{.rate = 1}.minimize(loss).source->name == "Adagrad");
  fg::adagrad_da{.rate = 1}.minimize(loss);
  fg::adadelta{}.minimize(loss);
  fg::rms_prop{.rate = 1, .centered = true}.minimize(loss);
  fg::ftrl{.rate = 1}.minimize(loss);
  fg::ftrl{.rate = 1, .l2_shrinkage = 1}.minimize(loss);
  fg::proximal_sgd{.rate = 1}.minimize(loss);
  fg::proximal_adagrad{.rate = 1}.minimize(loss);
  fg::adamw{}.minimize(loss);
  for (const char* name :
       {"w/Adagrad", "Adagrad/update_w/ApplyAdagrad", "Adagrad/learning_rate", "w/AdagradDA", "w/AdagradDA_1", "global_step",
        "AdagradDA/update_w/ApplyAdagradDA", "w/Adadelta", "w/Adadelta_1", "Adadelta/lr", "w/RMSProp", "w/RMSProp_1", "w/RMSProp_2",
        "RMSProp/update_w/ApplyCenteredRMSProp", "w/Ftrl", "w/Ftrl_1", "Ftrl/update_w/ApplyFtrl", "Ftrl_1/update_w/ApplyFtrlV2",
        "ProximalGradientDescent/update_w/ApplyProximalGradientDescent", "w/ProximalAdagrad", "w/AdamW", "w/AdamW_1",
        "AdamW/update_w/AssignSub", "AdamW/update_w/ApplyAdam"})
    CHECK_MESSAGE(g.find(name) != nullptr, name);
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
  CHECK(run(fg::rms_prop{.rate = 1, .momentum = 0.5f})[3] == 4);
}

TEST_CASE("several methods in one graph, each with its variables, and a rate that the graph computes") {
  fg::graph g;
  auto a = g.variable("a", fg::tensor<float>(1.f)), b = g.variable("b", fg::tensor<float>(1.f));
  auto rate = g.placeholder<float>("rate", {});
  auto loss = fg::square(a) + fg::square(b);
  auto first = fg::proximal_sgd{.rate = rate}.minimize(loss, a);
  auto second = fg::adagrad{.rate = rate, .initial_accumulator = 5}.minimize(loss, b);
  fg::session s{g};
  s.initialize();
  s.run(first, {{rate, 0.25f}});
  CHECK(s.run(fg::fetch(a)).scalar() == 0.5f);
  CHECK(s.run(fg::fetch(b)).scalar() == 1.f);
  s.run(second, {{rate, 1.5f}});
  CHECK(s.run(fg::fetch(a)).scalar() == 0.5f);
  CHECK(s.run(fg::fetch(b)).scalar() == 0.f);
}

TEST_CASE("halves: a type that a method has no sparse kernel for takes the dense one") {
  for (const bool lookup : {false, true}) {
    fg::graph g;
    auto w = g.variable("w", fg::tensor<fg::bfloat16>({2}, {fg::bfloat16(1.f), fg::bfloat16(2.f)}));
    auto rows = lookup ? fg::gather(w, g.constant(fg::tensor<std::int32_t>({2}, {0, 1}))) : fg::out<fg::bfloat16>(w);
    auto train = fg::rms_prop{.rate = 0.5f}.minimize(fg::sum(fg::square(rows)));
    fg::session s{g};
    s.initialize();
    s.run(train);
    CHECK(static_cast<float>(s.run(fg::fetch(w))[0]) == doctest::Approx(1 - 0.5 * 2 / std::sqrt(0.9 + 0.1 * 4)).epsilon(0.01));
  }
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
TEST_CASE("an accumulator that begins at zero is an error where the method is used") {
  fg::graph g;
  auto w = g.variable("w", fg::zeros<float>({2}));
  auto loss = fg::sum(fg::square(w));
  CHECK_THROWS_AS((fg::adagrad{.rate = 1, .initial_accumulator = 0}.minimize(loss)), fg::error);
  CHECK_THROWS_AS((fg::proximal_adagrad{.rate = 1, .initial_accumulator = -1}.minimize(loss)), fg::error);
}
#endif
