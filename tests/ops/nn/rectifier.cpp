#include <flowgraph/ops/nn/rectifier.hpp>

#include "../evaluate.hpp"

#include <cmath>

using namespace ops_test;

TEST_CASE("leaky_relu: what is positive passes, the rest leaks by alpha, 0.2 unless said otherwise") {
  const auto x = vector<float>({-2, -0.f, 0, 3, infinity, -infinity});
  CHECK(values(evaluate([](auto a) { return fg::leaky_relu(a, 0.5f); }, x)) ==
        std::vector<float>{-1, 0, 0, 3, infinity, -infinity});
  CHECK(evaluate([](auto a) { return fg::leaky_relu(a); }, vector<double>({-1}))[0] == doctest::Approx(-0.2));
  CHECK(std::isnan(evaluate([](auto a) { return fg::leaky_relu(a); }, vector<float>({no_number}))[0]));
}

TEST_CASE("leaky_relu passes its slope on to the op") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  // In docs/reference:
  auto leaky = fg::leaky_relu(x, 0.1f);
  CHECK(*fg::detail::attribute_of(*leaky.source, "alpha").get<float>() == 0.1f);
}

TEST_CASE("relu6: between 0 and 6, of integers too") {
  CHECK(values(evaluate([](auto a) { return fg::relu6(a); }, vector<float>({-1, 0, 2.5f, 6, 7, infinity}))) ==
        std::vector<float>{0, 0, 2.5f, 6, 6, 6});
  CHECK(values(evaluate([](auto a) { return fg::relu6(a); }, vector<std::int8_t>({-128, 5, 127}))) ==
        std::vector<std::int8_t>{0, 5, 6});
}

TEST_CASE("selu: a scaled line above zero, a scaled exponential below") {
  const auto y = evaluate([](auto a) { return fg::selu(a); }, vector<double>({-800, -1, -1e-9, 0, 2}));
  const double scale = 1.0507009873554804934, below = 1.7580993408473768600;
  CHECK(y[0] == doctest::Approx(-below));
  CHECK(y[1] == doctest::Approx(below * (std::exp(-1.) - 1)));
  CHECK(y[2] == doctest::Approx(-below * 1e-9).epsilon(1e-9));  // no digits are lost near zero
  CHECK(y[3] == 0);
  CHECK(y[4] == doctest::Approx(2 * scale));
}

TEST_CASE("softsign: toward -1 and 1") {
  CHECK(values(evaluate([](auto a) { return fg::softsign(a); }, vector<float>({-1, 0, 3, -1e30f}))) ==
        std::vector<float>{-0.5f, 0, 0.75f, -1});
}

TEST_CASE("rectifiers of long vectors are those of their elements") {
  fg::tensor<float> x(fg::shape{1003});
  for (std::size_t i = 0; i < x.size(); ++i) x.writable()[i] = 0.02f * static_cast<float>(i) - 10;
  const auto leaky = evaluate([](auto a) { return fg::leaky_relu(a); }, x);
  const auto six = evaluate([](auto a) { return fg::relu6(a); }, x);
  const auto sign = evaluate([](auto a) { return fg::softsign(a); }, x);
  const auto curve = evaluate([](auto a) { return fg::selu(a); }, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(leaky[i] == (x[i] > 0 ? x[i] : x[i] * 0.2f));
    CHECK(six[i] == std::fmin(std::fmax(x[i], 0.f), 6.f));
    CHECK(sign[i] == doctest::Approx(x[i] / (1 + std::fabs(x[i]))));
    const double right = x[i] < 0 ? 1.7580993408473768 * std::expm1(static_cast<double>(x[i])) : 1.0507009873554805 * x[i];
    CHECK(curve[i] == doctest::Approx(right).epsilon(1e-6));
  }
}

#ifndef FLOWGRAPH_INFERENCE
TEST_CASE("gradients of rectifiers, at the corners as in TensorFlow") {
  const auto x = vector<float>({-1, 0, 3, 6, 8});
  const auto slope = [&](auto f) {
    return values(evaluate([&](auto a) { return fg::out<float>(fg::gradients(f(a) * 2.f, a)); }, x));
  };
  CHECK(slope([](auto a) { return fg::leaky_relu(a, 0.25f); }) == std::vector<float>{0.5f, 0.5f, 2, 2, 2});
  CHECK(slope([](auto a) { return fg::relu6(a); }) == std::vector<float>{0, 0, 2, 0, 0});
  CHECK(slope([](auto a) { return fg::softsign(a); })[2] == doctest::Approx(2. / 16));
  const auto curve = slope([](auto a) { return fg::selu(a); });
  CHECK(curve[0] == doctest::Approx(2 * 1.7580993408473768 * std::exp(-1.)));
  CHECK(curve[4] == doctest::Approx(2 * 1.0507009873554805));
}

TEST_CASE("the second derivative of selu is its curve below zero, and nothing above") {
  auto second = [](auto x) {
    const fg::out<double> first = fg::gradients(fg::selu(x), x);
    return fg::out<double>(fg::gradients(first, x));
  };
  const auto found = evaluate(second, vector<double>({-0.5, 2}));
  CHECK(found[0] == doctest::Approx(1.7580993408473768 * std::exp(-0.5)));
  CHECK(found[1] == 0);
}
#endif
