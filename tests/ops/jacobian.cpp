#include <flowgraph/ops/jacobian.hpp>

#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/state/variable.hpp>

#include "evaluate.hpp"

#include <cmath>

using namespace ops_test;

namespace {

// Differences of all elements of f by all elements of x, as jacobian() orders them.
template <class T, class F> std::vector<double> differences(F&& f, fg::tensor<T> x, T h) {
  const std::size_t n = f(x).size();
  std::vector<double> made(n * x.size());
  for (std::size_t j = 0; j < x.size(); ++j) {
    fg::tensor<T> up = x, down = x;
    up.writable()[j] += h;
    down.writable()[j] -= h;
    const auto after = f(up), before = f(down);
    for (std::size_t i = 0; i < n; ++i)
      made[i * x.size() + j] = (double(after.data()[i]) - double(before.data()[i])) / (2 * double(h));
  }
  return made;
}
template <class T> void check_near(const fg::tensor<T>& found, const std::vector<double>& expected, double bound) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(double(found.data()[i]) == doctest::Approx(expected[i]).epsilon(bound));
}

}  // namespace

TEST_CASE_TEMPLATE("jacobian: of matrices by matrices, with and without known shapes", T, float, double) {
  const fg::tensor<T> at({2, 3}, {T(0.1), T(-0.4), T(0.7), T(0.2), T(0.5), T(-0.3)});
  for (const fg::shape& known : {fg::shape{2, 3}, fg::shape{fg::any, 3}, fg::shape::unknown()}) {
    fg::graph g;
    const auto x = g.placeholder<T>("x", known);
    const auto y = fg::tanh(fg::matmul(x, x, {.transpose_b = true})) * fg::sum(x);
    const auto j = fg::jacobian(y, x);
    fg::thread_pool pool(4);
    fg::session s{g}, together{g, {.pool = &pool}};
    const fg::tensor<T> found = s.run(fg::fetch(j), {{x, at}});
    CHECK(found.shape() == fg::shape{2, 2, 2, 3});
    CHECK(same_bits<T>(found, together.run(fg::fetch(j), {{x, at}})));
    auto step = s.prepare(fg::feed(x), fg::fetch(j));
    for (int round = 0; round < 2; ++round) CHECK(same_bits<T>(found, step(at)));
    const auto f = [&](const fg::tensor<T>& v) { return fg::tensor<T>(s.run(fg::fetch(y), {{x, v}})); };
    check_near(found, differences<T>(f, at, std::is_same_v<T, float> ? T(1e-2) : T(1e-5)),
               std::is_same_v<T, float> ? 2e-2 : 1e-6);
  }
}

TEST_CASE("jacobian: of a scalar it is the gradient; what y does not depend on is refused, or zero") {
  fg::graph g;
  const auto x = g.placeholder<double>("x", {2}), other = g.placeholder<double>("other", {3});
  const auto square = fg::jacobian(fg::sum(x * x), x);
  const auto none = fg::jacobian(x * x, other, {.allow_none = true});
  fg::session s{g};
  const auto [a, b] = s.run(fg::fetch(square, none), {{x, vector<double>({2, 3})}, {other, vector<double>({1, 1, 1})}});
  CHECK(values<double>(a) == std::vector<double>{4, 6});
  CHECK(fg::tensor<double>(b).shape() == fg::shape{2, 3});
  CHECK(values<double>(b) == std::vector<double>(6, 0.0));
  CHECK(says(refusal(g, [&] { static_cast<void>(fg::jacobian(x * x, other)); }), "does not depend on 'other'"));
}

TEST_CASE("jacobian: of a loop's result, also its gradient") {
  for (const fg::shape& known : {fg::shape{3}, fg::shape{fg::any}}) {
    fg::graph g;
    const auto x = g.placeholder<double>("x", known);
    const auto y = fg::for_range(0, g.constant(2), x, [&](auto, auto a) { return fg::tanh(a) * fg::sum(x); });
    const auto j = fg::jacobian(y, x);
    const fg::out<double> total = fg::sum(j), bend = fg::gradients(total, x);
    fg::session s{g};
    const auto at = vector<double>({0.3, -0.6, 1.2});
    const auto f = [&](const fg::tensor<double>& v) { return fg::tensor<double>(s.run(fg::fetch(y), {{x, v}})); };
    const auto all = [&](const fg::tensor<double>& v) { return fg::tensor<double>(s.run(fg::fetch(total), {{x, v}})); };
    check_near<double>(s.run(fg::fetch(j), {{x, at}}), differences<double>(f, at, 1e-5), 1e-6);
    check_near<double>(s.run(fg::fetch(bend), {{x, at}}), differences<double>(all, at, 1e-5), 1e-6);
  }
}

TEST_CASE("batch_jacobian: the diagonal blocks of the Jacobian") {
  for (const fg::shape& known : {fg::shape{3, 2}, fg::shape{fg::any, 2}}) {
    fg::graph g;
    const auto x = g.placeholder<double>("x", known);
    const auto w = g.constant(fg::tensor<double>({2, 4}, {1, -2, 0.5, 3, 0.25, 1, -1, 2}));
    const auto y = fg::tanh(fg::matmul(x * x, w));
    const auto rows = fg::batch_jacobian(y, x), whole = fg::jacobian(y, x);
    fg::session s{g};
    const auto [part, all] = s.run(fg::fetch(rows, whole), {{x, fg::tensor<double>({3, 2}, {0.1, 0.2, 0.3, -0.4, 0.5, 0.6})}});
    CHECK(fg::tensor<double>(part).shape() == fg::shape{3, 4, 2});
    for (std::size_t b = 0; b < 3; ++b)
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 2; ++j)
          CHECK(part.data()[(b * 4 + i) * 2 + j] == doctest::Approx(all.data()[((b * 4 + i) * 3 + b) * 2 + j]));
  }
}

TEST_CASE("derivatives that are refused name the function that was called, the user's handles and line") {
  fg::graph g;
  const auto x = g.placeholder<double>("x", {3, 2}), other = g.placeholder<double>("other", {4, 2});
  const auto y = fg::tanh(x * 2.0, {.name = "y"});
  const auto refused = [&](auto&& call, std::string_view function, std::initializer_list<std::string_view> parts) {
    const fg::error why = refusal(g, call);
    CHECK(why.code() == fg::error_code::invalid_argument);
    CHECK(why.node() == function);
    CHECK(std::string_view(why.where().file_name()).ends_with("jacobian.cpp"));
    for (const std::string_view part : parts) {
      const bool named = why.message().find(part) != std::string_view::npos;
      CHECK_MESSAGE(named, why.what(), " lacks ", std::string(part));
    }
    CHECK(why.message().find("Gather") == std::string_view::npos);
  };
#ifdef FLOWGRAPH_EXCEPTIONS
  const auto scalar = g.placeholder<double>("scalar", {});
  const auto nothing = [](const auto& made) { static_cast<void>(made); };
  refused([&] { nothing(fg::jacobian(y, other)); }, "jacobian", {"the loss 'y' does not depend on 'other'"});
  refused([&] { nothing(fg::jacobian(fg::sum(y), other)); }, "jacobian", {"does not depend on 'other'"});
  refused([&] { nothing(fg::jacobian_matrix(y, {x, other})); }, "jacobian_matrix", {"the loss 'y' does not depend on 'other'"});
  refused([&] { nothing(fg::jacobian_matrix(y, fg::out_list<double>{})); }, "jacobian_matrix",
          {"no handles to differentiate 'y' by"});
  refused([&] { nothing(fg::jacobian(y, fg::out<double>())); }, "jacobian", {"empty"});
  refused([&] { nothing(fg::jacobian(fg::out<double>(), x)); }, "jacobian", {"empty"});
  refused([&] { nothing(fg::batch_jacobian(y, other)); }, "batch_jacobian",
          {"same number of rows", "'y' of shape [3,2]", "'other' of shape [4,2]"});
  refused([&] { nothing(fg::batch_jacobian(y, scalar)); }, "batch_jacobian", {"'scalar' of shape []"});
  refused([&] { nothing(fg::batch_jacobian(scalar, x)); }, "batch_jacobian", {"'scalar' of shape []"});
  refused(
      [&] {
        nothing(fg::batch_jacobian(y, g.placeholder<double>("same", {3, 5})));
      },
      "batch_jacobian", {"the loss 'y' does not"});
  using list = fg::out_list<double>;
  refused([&] { nothing(fg::hessian_vector_product(fg::sum(y), list{x}, list{})); }, "hessian_vector_product",
          {"1 handles, 0 vectors"});
  refused([&] { nothing(fg::hessian_vector_product(fg::sum(y), x, fg::out<double>())); }, "hessian_vector_product",
          {"empty handle"});
  refused([&] { nothing(fg::hessian_vector_product(fg::sum(y), x, other)); }, "hessian_vector_product", {"[3,2]", "[4,2]"});
  refused([&] { nothing(fg::hessian_vector_product(fg::sum(y), other, other)); }, "hessian_vector_product",
          {"does not depend on 'other'"});
#else
  refused([&] { CHECK(!fg::any_out(fg::batch_jacobian(y, other)).is_usable()); }, "batch_jacobian", {"[3,2]", "[4,2]"});
#endif
}

TEST_CASE("batch_jacobian: rows that only the run can count are refused there, under its name") {
  fg::graph g;
  const auto x = g.placeholder<double>("x", {fg::any, 2});
  const auto rows = fg::batch_jacobian(fg::concat({fg::tanh(x), x}, 0), x);
  fg::session s{g};
  const auto made = s.try_run(fg::fetch(rows), {{x, fg::tensor<double>({3, 2}, {0.1, 0.2, 0.3, -0.4, 0.5, 0.6})}});
  REQUIRE(!made.has_value());
  CHECK(made.error().node() == "batch_jacobian");
  CHECK(std::string_view(made.error().where().file_name()).ends_with("jacobian.cpp"));
}

TEST_CASE("second derivatives: the Jacobian of a gradient, and the product of the Hessian with a vector") {
  fg::graph g;
  const auto x = g.placeholder<double>("x", {3}), v = g.placeholder<double>("v", {3});
  const auto loss = fg::sum(fg::tanh(x) * fg::sum(x * x)) + fg::sum(x);
  const fg::out<double> slope = fg::gradients(loss, x);
  const auto hessian = fg::jacobian(slope, x);
  const auto product = fg::hessian_vector_product(loss, x, v);
  const auto linear = fg::hessian_vector_product(fg::sum(x), x, v);
  fg::session s{g};
  const auto at = vector<double>({0.3, -0.6, 1.2}), along = vector<double>({1, -2, 0.5});
  const auto [h, hv, zero] = s.run(fg::fetch(hessian, product, linear), {{x, at}, {v, along}});
  const auto f = [&](const fg::tensor<double>& where) { return fg::tensor<double>(s.run(fg::fetch(slope), {{x, where}})); };
  check_near<double>(h, differences<double>(f, at, 1e-5), 1e-6);
  for (std::size_t i = 0; i < 3; ++i) {
    double expected = 0;
    for (std::size_t j = 0; j < 3; ++j) expected += h.data()[i * 3 + j] * along.data()[j];
    CHECK(hv.data()[i] == doctest::Approx(expected));
    CHECK(zero.data()[i] == 0);
  }
}

TEST_CASE("several variables: one vector and back, one matrix, one product") {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>({2, 2}, {0.5f, -1, 0.25f, 2}));
  const auto b = g.variable("b", fg::tensor<float>({2}, {0.1f, 0.2f}));
  const auto x = g.placeholder<float>("x", {fg::any, 2});
  const auto residuals = fg::tanh(fg::matmul(x, w) + b);
  const auto all = fg::flatten({w, b});
  const auto parts = fg::unflatten(all * 2.f, {w, b});
  const auto matrix = fg::jacobian_matrix(residuals, {w, b});
  const auto by_w = fg::jacobian(residuals, w), by_b = fg::jacobian(residuals, b);
  const auto loss = fg::sum(residuals * residuals);
  const auto products = fg::hessian_vector_product(loss, {w, b}, parts);
  const auto by_parts =
      fg::jacobian_matrix(fg::flatten(fg::out_list<float>{fg::gradients(loss, w), fg::gradients(loss, b)}), {w, b});
  fg::session s{g};
  s.initialize();
  const fg::tensor<float> rows({3, 2}, {0.1f, 0.2f, 0.3f, -0.4f, 0.5f, 0.6f});
  const auto [p, first, second] = s.run(fg::fetch(all, parts[0], parts[1]));
  CHECK(values<float>(p) == std::vector<float>{0.5f, -1, 0.25f, 2, 0.1f, 0.2f});
  CHECK(values<float>(first) == std::vector<float>{1, -2, 0.5f, 4});
  CHECK(fg::tensor<float>(first).shape() == fg::shape{2, 2});
  CHECK(values<float>(second) == std::vector<float>{0.2f, 0.4f});
  const auto [m, jw, jb] = s.run(fg::fetch(matrix, by_w, by_b), {{x, rows}});
  REQUIRE(fg::tensor<float>(m).shape() == fg::shape{6, 6});
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t k = 0; k < 4; ++k) CHECK(m.data()[i * 6 + k] == jw.data()[i * 4 + k]);
    for (std::size_t k = 0; k < 2; ++k) CHECK(m.data()[i * 6 + 4 + k] == jb.data()[i * 2 + k]);
  }
  const auto [h, to_w, to_b] = s.run(fg::fetch(by_parts, products[0], products[1]), {{x, rows}});
  const std::vector<float> along{1, -2, 0.5f, 4, 0.2f, 0.4f};
  for (std::size_t i = 0; i < 6; ++i) {
    double expected = 0;
    for (std::size_t k = 0; k < 6; ++k) expected += double(h.data()[i * 6 + k]) * double(along[k]);
    CHECK(double(i < 4 ? to_w.data()[i] : to_b.data()[i - 4]) == doctest::Approx(expected).epsilon(1e-4));
  }
}

TEST_CASE("parts of a vector whose sizes the run tells") {
  fg::graph g;
  const auto a = g.placeholder<double>("a", {fg::any, 2}), b = g.placeholder<double>("b", {3});
  const auto parts = fg::unflatten(fg::flatten({a, b}) + 1.0, {a, b});
  fg::session s{g};
  const auto [x, y] = s.run(fg::fetch(parts[0], parts[1]), {{a, counting<double>({2, 2})}, {b, counting<double>({3})}});
  CHECK(fg::tensor<double>(x).shape() == fg::shape{2, 2});
  CHECK(values<double>(x) == std::vector<double>{2, 3, 4, 5});
  CHECK(values<double>(y) == std::vector<double>{2, 3, 4});
}

#ifndef FLOWGRAPH_INFERENCE
TEST_CASE("lists of variables and of gradients are flattened as lists of handles are") {
  fg::graph g;
  const std::vector<fg::variable<double>> parameters{g.variable("a", counting<double>({3})),
                                                     g.variable("b", counting<double>({2}))};
  const auto loss = fg::sum(parameters[0] * parameters[0]) + fg::sum(parameters[1] * parameters[1]);
  const auto slope = fg::flatten(fg::gradients(loss, parameters)), flat = fg::flatten(parameters);
  const auto parts = fg::unflatten(slope, parameters);
  const auto j = fg::jacobian_matrix(slope, parameters);
  fg::session s{g};
  s.initialize();
  CHECK(values<double>(s.run(fg::fetch(flat))) == std::vector<double>{1, 2, 3, 1, 2});
  CHECK(values<double>(s.run(fg::fetch(slope))) == std::vector<double>{2, 4, 6, 2, 4});
  CHECK(values<double>(s.run(fg::fetch(parts[1]))) == std::vector<double>{2, 4});
  CHECK(s.run(fg::fetch(fg::sum(j))).scalar() == 10);
}
#endif
