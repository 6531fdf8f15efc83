#include <flowgraph/ops/training/update.hpp>

#include <flowgraph/ops/state/resource_variable.hpp>
#include <flowgraph/ops/training/adagrad.hpp>
#include <flowgraph/ops/training/adamax.hpp>
#include <flowgraph/ops/training/ftrl.hpp>
#include <flowgraph/ops/training/sign.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace fg = flowgraph;

namespace {

static_assert(fg::apply_adagrad_v2_op::name == "ApplyAdagradV2");
static_assert(fg::resource_apply_adam_with_amsgrad_op::name == "ResourceApplyAdamWithAmsgrad");
static_assert(fg::resource_sparse_apply_ftrl_v2_op::name == "ResourceSparseApplyFtrlV2");

fg::tensor<float> numbers(std::initializer_list<float> values) { return {{values.size()}, values}; }

// Variables, and what they hold after a step.
struct trial {
  fg::graph g;
  fg::variable<float> w = g.variable("w", numbers({1, -2, 3}));
  fg::variable<float> a = g.variable("a", numbers({0.5f, 1, 2})), b = g.variable("b", numbers({0.25f, 0.5f, 0.125f}));
  fg::out<float> d = g.constant(numbers({0.5f, -1, 0.25f}));

  fg::out<float> number(float x) { return g.constant(x); }

  // What the variable becomes, to be compared with a formula of w, a, b and d.
  template <class Formula> void check(const fg::target& step, Formula formula) {
    fg::session s{g};
    s.initialize();
    s.run(step);
    const fg::tensor<float> found = s.run(fg::fetch(w));
    const double w0[]{1, -2, 3}, a0[]{0.5, 1, 2}, b0[]{0.25, 0.5, 0.125}, d0[]{0.5, -1, 0.25};
    for (std::size_t i = 0; i < 3; ++i) CHECK(found[i] == doctest::Approx(formula(w0[i], a0[i], b0[i], d0[i])).epsilon(1e-5));
  }
};

}  // namespace

TEST_CASE("methods without an optimizer follow their formulas") {
  SUBCASE("AdaMax") {
    trial t;
    t.check(fg::apply({}, fg::apply_adamax_op{}, t.w, t.a, t.b, t.number(0.75f), t.number(0.5f), t.number(0.5f), t.number(0.75f),
                      t.number(0.125f), t.d),
            [](double w, double m, double v, double d) {
              return w - 0.5 / 0.25 * (0.5 * m + 0.5 * d) / (std::fmax(0.75 * v, std::fabs(d)) + 0.125);
            });
  }
  SUBCASE("AddSign") {
    trial t;
    t.check(fg::apply({}, fg::apply_add_sign_op{}, t.w, t.a, t.number(0.5f), t.number(1), t.number(0.25f), t.number(0.75f), t.d),
            [](double w, double m, double, double d) {
              const double mean = 0.75 * m + 0.25 * d;
              return w - 0.5 * (1 + 0.25 * (mean * d > 0 ? 1 : -1)) * d;
            });
  }
  SUBCASE("PowerSign") {
    trial t;
    t.check(
        fg::apply({}, fg::apply_power_sign_op{}, t.w, t.a, t.number(0.5f), t.number(2), t.number(0.25f), t.number(0.75f), t.d),
        [](double w, double m, double, double d) {
          const double mean = 0.75 * m + 0.25 * d;
          return w - 0.5 * std::exp(2 * 0.25 * (mean * d > 0 ? 1 : -1)) * d;
        });
  }
  SUBCASE("Ftrl whose linear part holds the rate") {
    trial t;
    fg::apply_ftrl_op op;
    op.multiply_linear_by_lr = true;
    t.check(fg::apply({}, op, t.w, t.a, t.b, t.d, t.number(0.5f), t.number(0.25f), t.number(0.125f), t.number(-0.5f)),
            [](double w, double a, double b, double d) {
              const double now = std::sqrt(a + d * d), linear = b + 0.5 * d - (now - std::sqrt(a)) * w;
              return std::fabs(linear) > 0.125 ? (std::copysign(0.125, linear) - linear) / (now + 2 * 0.125 * 0.5) : 0;
            });
  }
  SUBCASE("Adagrad that leaves its sums") {
    trial t;
    fg::apply_adagrad_v2_op op;
    op.update_slots = false;
    t.check(fg::apply({}, op, t.w, t.a, t.number(0.5f), t.number(0.25f), t.d),
            [](double w, double a, double, double d) { return w - 0.5 * d / (std::sqrt(a) + 0.25); });
  }
}

TEST_CASE("a row that is named twice is updated twice, in the order of the indices") {
  fg::graph g;
  auto w = g.variable("w", fg::tensor<double>({3, 2}, {1, 2, 3, 4, 5, 6})), a = g.variable("a", fg::ones<double>({3, 2}));
  auto step =
      fg::apply(fg::site{}, fg::sparse_apply_adagrad_op{}, w, a, g.constant(1.),
                g.constant(fg::tensor<double>({3, 2}, {1, 2, 3, 4, 5, 6})), g.constant(fg::tensor<std::int64_t>({3}, {2, 0, 2})));
  fg::session s{g};
  s.initialize();
  const auto [made, sums] = s.run(fg::fetch(step, a));
  CHECK(sums(2, 0) == 1 + 1 + 25);
  CHECK(made(2, 0) == doctest::Approx(5 - 1 / std::sqrt(2.) - 5 / std::sqrt(27.)));
  CHECK(made(2, 1) == doctest::Approx(6 - 2 / std::sqrt(5.) - 6 / std::sqrt(41.)));
  CHECK(made(0, 1) == doctest::Approx(2 - 4 / std::sqrt(17.)));
  CHECK(made(1, 0) == 3);
}

TEST_CASE("a refused update changes nothing") {
  fg::graph g;
  auto w = g.variable("w", fg::ones<float>({3, 2})), a = g.variable("a", fg::ones<float>({3, 2}));
  auto b = g.variable("b", fg::ones<float>({3, 2}));
  auto rate = g.placeholder<float>("rate", fg::shape::unknown()), d = g.placeholder<float>("d", fg::shape::unknown());
  auto rows = g.placeholder<std::int32_t>("rows", fg::shape::unknown());
  auto zero = g.constant(0.f), power = g.constant(-0.5f);
  auto step = fg::apply(fg::site{}, fg::sparse_apply_ftrl_op{}, w, a, b, d, rows, rate, zero, zero, power);
  fg::session s{g};
  s.initialize();
  const auto refuses = [&](const fg::tensor<float>& r, const fg::tensor<float>& gradient,
                           const fg::tensor<std::int32_t>& indices) {
    const auto made = s.try_run(step, {{rate, r}, {d, gradient}, {rows, indices}});
    REQUIRE_FALSE(made);
    const auto [x, y] = s.run(fg::fetch(w, a));
    for (const float e : x) CHECK(e == 1);
    for (const float e : y) CHECK(e == 1);
    return made.error().code() == fg::error_code::invalid_argument;
  };
  const fg::tensor<float> one({1, 2}, {1, 1}), two({2, 2}, {1, 1, 1, 1});
  const fg::tensor<std::int32_t> first({1}, {0}), wild({2}, {0, 3}), negative({2}, {0, -1});
  CHECK(refuses(1.f, two, wild));
  CHECK(refuses(1.f, two, negative));
  CHECK(refuses(1.f, two, first));
  CHECK(refuses(1.f, one, fg::tensor<std::int32_t>(0)));
  CHECK(refuses(1.f, fg::tensor<float>({1, 3}, {1, 1, 1}), first));
  CHECK(refuses(0.f, one, first));
  CHECK(refuses(fg::tensor<float>({1}, {1.f}), one, first));
}
