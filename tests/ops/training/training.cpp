#include <flowgraph/ops/training/training.hpp>

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/ops/state/resource_variable.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace fg = flowgraph;

namespace {

template <class T> fg::tensor<T> some(std::size_t n, double first) {
  fg::tensor<T> made(fg::shape{n});
  double x = first;
  for (T& e : made.writable()) {
    x = x * 3.7 * (1 - x);
    if constexpr (std::is_same_v<T, double>) e = x - 0.4;
    else e = T(static_cast<float>(x - 0.4));
  }
  return made;
}

template <class T> double as_double(const T& x) {
  if constexpr (std::is_same_v<T, fg::complex64> || std::is_same_v<T, fg::complex128>) return static_cast<double>(x.real());
  else return static_cast<double>(x);
}

constexpr std::size_t n = 37;

}  // namespace

TEST_CASE_TEMPLATE("gradient descent follows its formula", T, float, double, fg::half, fg::bfloat16, fg::complex64) {
  fg::graph g;
  auto w = g.variable("w", some<T>(n, 0.3));
  auto step = fg::apply(fg::apply_gradient_descent_op{}, w, g.constant(T(0.5f)), g.constant(some<T>(n, 0.6)));
  fg::session s{g};
  s.initialize();
  const fg::tensor<T> made = s.run(fg::fetch(step)), before = some<T>(n, 0.3), d = some<T>(n, 0.6);
  for (std::size_t i = 0; i < n; ++i)
    CHECK(as_double(made[i]) ==
          doctest::Approx(as_double(before[i]) - 0.5 * as_double(d[i])).epsilon(sizeof(T) == 2 ? 1e-2 : 1e-5));
}

TEST_CASE_TEMPLATE("momentum follows its formula, with and without looking ahead", T, float, double, fg::half) {
  for (const bool nesterov : {false, true}) {
    fg::graph g;
    auto w = g.variable("w", some<T>(n, 0.3)), a = g.variable("a", some<T>(n, 0.5));
    fg::apply_momentum_op op;
    op.use_nesterov = nesterov;
    auto step = fg::apply(fg::site{}, op, w, a, g.constant(T(0.5f)), g.constant(some<T>(n, 0.6)), g.constant(T(0.75f)));
    fg::session s{g};
    s.initialize();
    const auto [made, accum] = s.run(fg::fetch(step, a));
    const fg::tensor<T> w0 = some<T>(n, 0.3), a0 = some<T>(n, 0.5), d = some<T>(n, 0.6);
    for (std::size_t i = 0; i < n; ++i) {
      const double grad = as_double(d[i]), m = 0.75 * as_double(a0[i]) + grad;
      const double moved = nesterov ? grad + 0.75 * m : m;
      CHECK(as_double(accum[i]) == doctest::Approx(m).epsilon(sizeof(T) == 2 ? 1e-2 : 1e-5));
      CHECK(as_double(made[i]) == doctest::Approx(as_double(w0[i]) - 0.5 * moved).epsilon(sizeof(T) == 2 ? 1e-2 : 1e-5));
    }
  }
}

TEST_CASE_TEMPLATE("Adam follows its formula", T, float, double, fg::bfloat16) {
  fg::graph g;
  auto w = g.variable("w", some<T>(n, 0.3)), m = g.variable("m", some<T>(n, 0.5));
  auto v = g.variable("v", fg::constant<T>({n}, T(0.25f)));
  auto number = [&](double x) { return g.constant(T(static_cast<float>(x))); };
  auto step = fg::apply(fg::site{}, fg::apply_adam_op{}, w, m, v, number(0.5), number(0.75), number(0.125), number(0.5),
                        number(0.75), number(0.0625), g.constant(some<T>(n, 0.6)));
  fg::session s{g};
  s.initialize();
  const auto [made, mean, square] = s.run(fg::fetch(step, m, v));
  const fg::tensor<T> w0 = some<T>(n, 0.3), m0 = some<T>(n, 0.5), d = some<T>(n, 0.6);
  for (std::size_t i = 0; i < n; ++i) {
    const double grad = as_double(d[i]), m1 = as_double(m0[i]) + 0.5 * (grad - as_double(m0[i])),
                 v1 = 0.25 + 0.25 * (grad * grad - 0.25);
    const double rate = 0.125 * std::sqrt(1 - 0.75) / (1 - 0.5), epsilon = sizeof(T) == 2 ? 2e-2 : 1e-5;
    CHECK(as_double(mean[i]) == doctest::Approx(m1).epsilon(epsilon));
    CHECK(as_double(square[i]) == doctest::Approx(v1).epsilon(epsilon));
    CHECK(as_double(made[i]) == doctest::Approx(as_double(w0[i]) - rate * m1 / (std::sqrt(v1) + 0.0625)).epsilon(epsilon));
  }
}

TEST_CASE("sparse momentum touches the rows that are named, one after the other") {
  fg::graph g;
  auto w = g.variable("w", fg::constant<float>({3, 2}, 1)), a = g.variable("a", fg::constant<float>({3, 2}, 1));
  auto step = fg::apply(fg::site{}, fg::sparse_apply_momentum_op{}, w, a, g.constant(0.5f),
                        g.constant(fg::tensor<float>({2, 2}, {1, 2, 3, 4})), g.constant(fg::tensor<std::int32_t>({2}, {2, 2})),
                        g.constant(0.5f));
  fg::session s{g};
  s.initialize();
  const auto [made, accum] = s.run(fg::fetch(step, a));
  CHECK(accum[4] == 0.5f * (0.5f * 1 + 1) + 3);
  CHECK(made[4] == 1 - 0.5f * 1.5f - 0.5f * 3.75f);
  CHECK(made[0] == 1.f);
  CHECK(accum[1] == 1.f);
}

TEST_CASE("a gradient, rate or slot of another shape is refused before anything changes") {
  fg::graph g;
  auto w = g.variable("w", fg::zeros<float>({3, 2})), a = g.variable("a", fg::zeros<float>({3, 2})),
       b = g.variable("b", fg::zeros<float>({2}));
  auto rate = g.placeholder<float>("rate", fg::shape::unknown()), d = g.placeholder<float>("d", fg::shape::unknown());
  auto keep = g.constant(0.5f);
  auto momentum = fg::apply(fg::site{}, fg::apply_momentum_op{}, w, a, rate, d, keep);
  auto rows = fg::apply(fg::site{}, fg::sparse_apply_momentum_op{}, w, a, rate, d,
                        g.constant(fg::tensor<std::int32_t>({2}, {0, 3})), keep);
  fg::session s{g};
  const fg::tensor<float> right({3, 2}), wrong({2, 3}), ones({2, 2}, {1, 1, 1, 1});
  auto refused = [&](const fg::out<float>& step, const fg::tensor<float>& lr, const fg::tensor<float>& gradient,
                     fg::error_code code) {
    const auto result = s.try_run(fg::fetch(step), {{rate, lr}, {d, gradient}});
    REQUIRE_FALSE(result);
    CHECK(result.error().code() == code);
  };
  refused(momentum, 1.f, right, fg::error_code::failed_precondition);
  s.initialize();
  refused(momentum, 1.f, wrong, fg::error_code::invalid_argument);
  refused(momentum, fg::tensor<float>({2}, {1, 1}), right, fg::error_code::invalid_argument);
  refused(rows, 1.f, ones, fg::error_code::invalid_argument);
  const auto [tw, ta] = s.run(fg::fetch(w, a));
  for (const float x : tw) CHECK(x == 0.f);
  for (const float x : ta) CHECK(x == 0.f);
#ifdef FLOWGRAPH_EXCEPTIONS
  CHECK_THROWS_AS(fg::apply(fg::site{}, fg::apply_momentum_op{}, w, b, rate, d, keep), fg::error);
#endif
}

TEST_CASE("handles train as references do") {
  fg::graph g;
  auto handle = [&](std::string_view name) { return fg::apply_in<float>(g, fg::var_handle_op{.declared = {2}}, {.name = name}); };
  auto w = handle("w"), m = handle("m"), v = handle("v");
  auto x = g.placeholder<float>("x", {2});
  const auto one = g.constant(0.5f), small = g.constant(0.25f);
  std::vector<fg::target> set;
  for (const auto& h : {w, m, v}) set.push_back(fg::apply_as<float>(fg::site{}, fg::assign_variable_op{}, h, x));
  auto adam = fg::apply_as<float>(fg::site{}, fg::resource_apply_adam_op{}, w, m, v, one, one, one, one, one, small, x);
  auto plain = fg::apply_as<float>(fg::site{}, fg::resource_apply_gradient_descent_op{}, w, one, x);
  auto value = fg::apply_as<float>(fg::site{}, fg::read_variable_op{}, w);
  fg::session s{g};
  const fg::tensor<float> ones({2}, {1, 1});
  const auto early = s.try_run(plain, {{x, ones}});
  REQUIRE_FALSE(early);
  CHECK(early.error().code() == fg::error_code::internal);  // TensorFlow's code for a handle without a variable
  for (const fg::target& t : set) s.run(t, {{x, ones}});
  s.run(adam, {{x, ones}});
  CHECK(s.run(fg::fetch(value))[1] == doctest::Approx(1 - 0.5 * std::sqrt(0.5) / 0.5 / 1.25));
  s.run(plain, {{x, ones}});
  CHECK(s.run(fg::fetch(value))[1] == doctest::Approx(0.5 - 0.5 * std::sqrt(0.5) / 0.5 / 1.25));
}

TEST_CASE("the same bits on any number of threads") {
  auto run = [](fg::thread_pool* pool) {
    fg::graph g;
    auto w = g.variable("w", some<float>(100003, 0.3)), m = g.variable("m", some<float>(100003, 0.2));
    auto v = g.variable("v", fg::constant<float>({100003}, 1));
    auto half = g.constant(0.5f);
    auto step = fg::apply(fg::site{}, fg::apply_adam_op{}, w, m, v, half, half, half, half, half, half,
                          g.constant(some<float>(100003, 0.7)));
    fg::session s{g, {.pool = pool}};
    s.initialize();
    return fg::tensor<float>(s.run(fg::fetch(step)));
  };
  fg::thread_pool pool(4);
  const auto alone = run(nullptr), together = run(&pool);
  std::size_t different = 0;
  for (std::size_t i = 0; i < alone.size(); ++i) different += alone[i] != together[i];
  CHECK(different == 0);
}
