#include <flowgraph/ops/nn/activation.hpp>

#include "../evaluate.hpp"

#include <cmath>
#include <limits>

using namespace ops_test;

TEST_CASE("relu keeps NaN and drops negative zero's sign") {
  const auto x = vector<float>({std::numeric_limits<float>::quiet_NaN(), -0.f, -1, 2});
  auto y = evaluate([](auto a) { return fg::relu(a); }, x);
  CHECK(std::isnan(y[0]));
  CHECK_FALSE(std::signbit(y[1]));
  CHECK(y[2] == 0.f);
  CHECK(y[3] == 2.f);
  CHECK(values(evaluate([](auto a) { return fg::relu(a); }, vector<std::int8_t>({-128, 5}))) == std::vector<std::int8_t>{0, 5});
}

TEST_CASE("far from zero the curves are flat, or straight, and finite") {
  const auto x = vector<double>({-800, 800});
  CHECK(values(evaluate([](auto a) { return fg::sigmoid(a); }, x)) == std::vector<double>{0, 1});
  CHECK(values(evaluate([](auto a) { return fg::tanh(a); }, x)) == std::vector<double>{-1, 1});
  CHECK(values(evaluate([](auto a) { return fg::softplus(a); }, x)) == std::vector<double>{0, 800});
  CHECK(values(evaluate([](auto a) { return fg::elu(a); }, x)) == std::vector<double>{-1, 800});
}

#ifndef FLOWGRAPH_INFERENCE
TEST_CASE("the gradient of relu passes where the output is positive, also its own gradient") {
  auto slope = [](auto x) { return fg::out<float>(fg::gradients(fg::relu(x) * 3.f, x)); };
  CHECK(values(evaluate(slope, vector<float>({-1, 0, 2}))) == std::vector<float>{0, 0, 3});
}

TEST_CASE("activations are differentiable three times") {
  auto third = [](auto x) {
    auto y = fg::tanh(x);
    for (int i = 0; i < 3; ++i) y = fg::gradients(y, x);
    return y;
  };
  const double t = std::tanh(0.3), s = 1 - t * t;
  CHECK(evaluate(third, fg::tensor<double>(0.3)).scalar() == doctest::Approx(-2 * s * s + 4 * t * t * s));
}

TEST_CASE("slopes far from zero are finite") {
  auto slope = [](auto x) { return fg::out<double>(fg::gradients(fg::softplus(x), x)); };
  CHECK(values(evaluate(slope, vector<double>({-800, 800}))) == std::vector<double>{0, 1});
}
#endif
