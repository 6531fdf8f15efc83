#include <flowgraph/ops/nn/local_response.hpp>

#include "../evaluate.hpp"

#include <cmath>

using namespace ops_test;

namespace {

const fg::local_response_options response{.depth_radius = 2, .bias = 1.5f, .alpha = 0.25f, .beta = 0.75f};

double expected(const fg::tensor<float>& x, std::int64_t depth, std::int64_t i) {
  double sum = 0;
  for (std::int64_t k = -2; k <= 2; ++k)
    if (i % depth + k >= 0 && i % depth + k < depth) sum += std::pow(static_cast<double>(x[static_cast<std::size_t>(i + k)]), 2);
  return static_cast<double>(x[static_cast<std::size_t>(i)]) / std::pow(1.5 + 0.25 * sum, 0.75);
}

}  // namespace

TEST_CASE("channels are held down by their neighbours, whatever the block they are in") {
  const fg::tensor<float> x = [] {
    fg::tensor<float> t({1, 1, 2, 700});
    float at = 0;
    for (float& e : t.writable()) e = std::sin(at += 0.7f);
    return t;
  }();
  const auto y = evaluate([](auto a) { return fg::local_response_normalization(a, response); }, x);
  for (std::int64_t i = 0; i < 1400; ++i)
    CHECK(std::fabs(static_cast<double>(y[static_cast<std::size_t>(i)]) - expected(x, 700, i)) < 1e-6);
}

TEST_CASE("the gradient is the derivative") {
  fg::tensor<float> x({1, 1, 1, 6}, {1, -2, 0.5f, 3, -1, 2});
  const auto loss = [](const fg::tensor<float>& t) {
    double sum = 0;
    for (std::int64_t i = 0; i < 6; ++i) sum += std::pow(expected(t, 6, i), 2);
    return sum;
  };
  const auto slope = evaluate(
      [](auto a) { return fg::out<float>(fg::gradients(fg::sum(fg::square(fg::local_response_normalization(a, response))), a)); },
      x);
  for (std::size_t i = 0; i < 6; ++i) {
    const float kept = x[i];
    x.writable()[i] = kept + 0.0078125f;
    const double above = loss(x);
    x.writable()[i] = kept - 0.0078125f;
    const double below = loss(x);
    x.writable()[i] = kept;
    CHECK(static_cast<double>(slope[i]) == doctest::Approx((above - below) / 0.015625).epsilon(1e-3));
  }
}
