#include <flowgraph/train/rate_schedule.hpp>

#include <flowgraph/runtime/session.hpp>
#include <flowgraph/train/optimizer.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace fg = flowgraph;

namespace {

using floats = std::vector<float>;
constexpr std::int64_t steps[]{0, 1, 5, 10, 13, 20, 37, 100};

template <class F> void check_rates(F schedule, const floats& expected) {
  fg::graph g;
  auto step = g.placeholder<std::int64_t>("step", {});
  const fg::out<float> rate = schedule(step);
  fg::session s{g};
  for (std::size_t i = 0; i < std::size(steps); ++i) {
    const float found = s.run(fg::fetch(rate), {{step, steps[i]}}).scalar();
    CHECK_MESSAGE(std::abs(found - expected[i]) <= 1e-7f + 2e-6f * std::abs(expected[i]), "step ", steps[i], ": ", found,
                  " and not ", expected[i]);
  }
}

}  // namespace

// What TensorFlow answers.
TEST_CASE("exponential, natural and inverse decay") {
  check_rates([](auto n) { return fg::exponential_decay(0.1f, n, 10, 0.9f); },
              {0.1f, 0.098951928f, 0.094868325f, 0.089999996f, 0.087199755f, 0.080999993f, 0.067716926f, 0.034867834f});
  check_rates([](auto n) { return fg::exponential_decay(0.1f, n, 10, 0.9f, true); },
              {0.1f, 0.1f, 0.1f, 0.089999996f, 0.089999996f, 0.080999993f, 0.07289999f, 0.034867834f});
  check_rates([](auto n) { return fg::natural_exp_decay(0.1f, n, 10, 0.5f); },
              {0.1f, 0.095122948f, 0.077880077f, 0.060653068f, 0.052204579f, 0.036787946f, 0.015723718f, 0.00067379483f});
  check_rates([](auto n) { return fg::inverse_time_decay(0.1f, n, 10, 0.5f); },
              {0.1f, 0.095238104f, 0.079999998f, 0.06666667f, 0.060606062f, 0.050000001f, 0.03508772f, 0.016666668f});
  check_rates([](auto n) { return fg::inverse_time_decay(0.1f, n, 10, 0.5f, true); },
              {0.1f, 0.1f, 0.1f, 0.06666667f, 0.06666667f, 0.050000001f, 0.039999999f, 0.016666668f});
}

TEST_CASE("polynomial decay and constants by pieces") {
  check_rates([](auto n) { return fg::polynomial_decay(0.1f, n, 20); },
              {0.1f, 0.095004998f, 0.075025f, 0.050050002f, 0.035065003f, 1e-4f, 1e-4f, 1e-4f});
  check_rates([](auto n) { return fg::polynomial_decay(0.1f, n, 20, {.end = 0.01f, .power = 0.5f}); },
              {0.1f, 0.097721152f, 0.087942287f, 0.073639609f, 0.063244723f, 0.01f, 0.01f, 0.01f});
  check_rates([](auto n) { return fg::polynomial_decay(0.1f, n, 20, {.end = 0.01f, .power = 1.5f}); },
              {0.1f, 0.093335092f, 0.068456717f, 0.041819803f, 0.028635653f, 0.01f, 0.01f, 0.01f});
  check_rates([](auto n) { return fg::polynomial_decay(0.1f, n, 20, {.end = 0.01f, .cycle = true}); },
              {0.1f, 0.0955f, 0.0775f, 0.055f, 0.0415f, 0.01f, 0.01675f, 0.01f});
  check_rates(
      [](auto n) {
        return fg::piecewise_constant(n, {5, 20}, {1.f, 0.5f, 0.25f});
      },
      {1, 1, 1, 0.5f, 0.5f, 0.5f, 0.25f, 0.25f});
#ifdef FLOWGRAPH_EXCEPTIONS
  fg::graph g;
  CHECK_THROWS_AS(fg::piecewise_constant(g.constant(1), {5, 20}, {1.f, 0.5f}), fg::error);
#endif
}

TEST_CASE("waves") {
  check_rates([](auto n) { return fg::cosine_decay(0.1f, n, 20); },
              {0.1f, 0.09938442f, 0.085355341f, 0.05f, 0.027300481f, 0, 0, 0});
  check_rates([](auto n) { return fg::cosine_decay(0.1f, n, 20, 0.1f); },
              {0.1f, 0.099445976f, 0.086819813f, 0.055f, 0.034570433f, 0.01f, 0.01f, 0.01f});
  check_rates([](auto n) { return fg::cosine_decay_restarts(0.1f, n, 10); },
              {0.1f, 0.097552828f, 0.05f, 0.1f, 0.094550326f, 0.05f, 0.092632011f, 0.069134168f});
  check_rates([](auto n) { return fg::cosine_decay_restarts(0.1f, n, 10, {.t_mul = 1, .m_mul = 0.9f, .alpha = 0.1f}); },
              {0.1f, 0.097797543f, 0.055f, 0.091f, 0.074305311f, 0.0829f, 0.023522696f, 0.04138105f});
  const floats under_line{0.1001f, 0.094515197f, 0.064116508f, 0.0251f, 0.0096551683f, 1e-4f, 1e-4f, 1e-4f};
  check_rates([](auto n) { return fg::linear_cosine_decay(0.1f, n, 20); }, under_line);
  check_rates([](auto n) { return fg::noisy_linear_cosine_decay(0.1f, n, 20, {.initial_variance = 0}); }, under_line);
}

TEST_CASE("an optimizer follows a schedule that counts its steps") {
  fg::graph g;
  auto w = g.variable("w", fg::tensor<float>(8.f));
  auto step = g.variable("global_step", fg::tensor<std::int32_t>(0));
  auto rate = fg::exponential_decay(1.f, step, 1, 0.5f);
  auto train = fg::sgd{.rate = rate}.minimize(w * 1.f);
  fg::target next;
  {
    auto in_order = g.after(train);
    next = fg::assign_add(step, g.constant<std::int32_t>(1));
  }
  fg::session s{g};
  s.initialize();
  for (const float expected : {7.f, 6.5f, 6.25f}) {
    s.run(next);
    CHECK(s.run(fg::fetch(w)).scalar() == doctest::Approx(expected));
  }
}
