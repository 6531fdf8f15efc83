#include <flowgraph/ops/nn/pool_3d.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("the border of a volume counts for nothing, neither in a maximum nor in a mean") {
  const fg::tensor<float> x({1, 3, 1, 2, 1}, {-1, -2, -3, -4, -5, -6});
  const fg::pool_3d_options o{.window = {2, 1, 2}, .strides = {2, 1, 2}, .padding = fg::padding::same};
  CHECK(values(evaluate([&](auto a) { return fg::max_pool3d(a, o); }, x)) == std::vector<float>{-1, -5});
  CHECK(values(evaluate([&](auto a) { return fg::avg_pool3d(a, o); }, x)) == std::vector<float>{-2.5f, -5.5f});
  const auto dx = [&](auto a) { return fg::out<float>(fg::gradients(fg::sum(fg::avg_pool3d(a, o)), a)); };
  CHECK(values(evaluate(dx, x)) == std::vector<float>{.25f, .25f, .25f, .25f, .5f, .5f});
}

TEST_CASE("every one of equal elements gets the gradient of the largest") {
  const fg::tensor<float> x({1, 1, 1, 6, 1}, {1, 1, 0, 2, 1, 2});
  const fg::pool_3d_options o{.window = {1, 1, 3}, .strides = {1, 1, 3}};
  const auto dx = [&](auto a) { return fg::out<float>(fg::gradients(fg::sum(fg::square(fg::max_pool3d(a, o))), a)); };
  CHECK(values(evaluate(dx, x)) == std::vector<float>{2, 2, 0, 4, 0, 4});
}

TEST_CASE("the gradients of pools of volumes are linear in what they are given") {
  fg::tensor<float> x({2, 3, 4, 5, 3}), v({2, 3, 4, 5, 3});
  float next = 0.3f;
  for (float& e : x.writable()) e = next = next * 1.37f - static_cast<float>(static_cast<int>(next * 1.37f)) + 0.013f;
  for (float& e : v.writable()) e = static_cast<float>(static_cast<int>(100 * (next = next * 1.37f - static_cast<float>(static_cast<int>(next * 1.37f)) + 0.013f)));
  const fg::pool_3d_options o{.window = {2, 2, 2}, .strides = {1, 2, 2}, .padding = fg::padding::same};
  // d/du <J(x)^T u, v> is J(x) v, which for a mean is the pool of v.
  const auto mean = [&](auto a, auto b) {
    auto u = fg::avg_pool3d(a, o);
    fg::out<float> dx = fg::gradients(fg::sum(fg::square(u)), a);
    return fg::out<float>(fg::gradients(fg::sum(dx * b), u));
  };
  CHECK(values(evaluate(mean, x, v)) == values(evaluate([&](auto, auto b) { return fg::avg_pool3d(b, o) * 2.f; }, x, v)));
  const auto largest = [&](auto a, auto b) {
    fg::out<float> dx = fg::gradients(fg::sum(fg::square(fg::max_pool3d(a, o))), a);
    return fg::out<float>(fg::gradients(fg::sum(dx * b), b));
  };
  const auto first = [&](auto a, auto) { return fg::out<float>(fg::gradients(fg::sum(fg::square(fg::max_pool3d(a, o))), a)); };
  CHECK(values(evaluate(largest, x, v)) == values(evaluate(first, x, v)));
}
