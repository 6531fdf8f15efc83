#include <flowgraph/ops/nn/pool_3d.hpp>

#include "../evaluate.hpp"

#include <flowgraph/ops/array/concat.hpp>

#include <cmath>

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

TEST_CASE("gradients of pools of volumes, and theirs, are each other's transposes") {
  fg::tensor<float> x({2, 3, 4, 5, 3}), v({2, 3, 4, 5, 3});
  for (std::size_t i = 0; i < x.size(); ++i) {  // numbers that make no rounding error, no two of x equal
    x.writable()[i] = static_cast<float>(i * 7919 % 360);
    v.writable()[i] = static_cast<float>(i * 31 % 17) * 8;
  }
  const fg::pool_3d_options o{.window = {2, 2, 2}, .strides = {1, 2, 2}, .padding = fg::padding::valid};
  const auto difference = [](const auto& pool) {
    return [&pool](auto a, auto b) {
      auto y = pool(a);
      fg::out<float> dx = fg::gradients(fg::sum(fg::square(y)), a);
      fg::out<float> second = fg::gradients(fg::sum(dx * b), y);
      return fg::pack({fg::sum(dx * b), fg::sum(y * second)});
    };
  };
  const auto largest = [&](auto a) { return fg::max_pool3d(a, o); };
  const auto mean = [&](auto a) { return fg::avg_pool3d(a, o); };
  for (const auto& both : {values(evaluate(difference(largest), x, v)), values(evaluate(difference(mean), x, v))}) {
    CHECK(both[0] == both[1]);
    CHECK(both[0] != 0);
  }
}

TEST_CASE("a NaN is the largest of a window of a volume until a number follows it") {
  const fg::pool_3d_options o{.window = {1, 1, 3}, .strides = {1, 1, 3}};
  const auto largest = [&](auto a) { return fg::max_pool3d(a, o); };
  for (const std::int64_t depth : {1, 40}) {
    const auto of = [&](float a, float b, float c) {
      fg::tensor<float> x({1, 1, 1, 3, depth});
      const auto n = static_cast<std::size_t>(depth);
      for (std::size_t i = 0; i < 3 * n; ++i) x.writable()[i] = i < n ? a : i < 2 * n ? b : c;
      return evaluate(largest, x)[n - 1];
    };
    CHECK(of(-infinity, -infinity, -infinity) == -infinity);
    CHECK(std::isnan(of(no_number, no_number, no_number)));
    CHECK(std::isnan(of(1, 2, no_number)));
    CHECK(of(2, no_number, 1) == 1);
    CHECK(of(no_number, 2, 1) == 2);
  }
}

TEST_CASE("the second gradient of a maximum of volumes is at the first element that equals it") {
  const fg::tensor<float> x({1, 1, 1, 6, 1}, {no_number, 2, 2, 1, 2, no_number}), g({1, 1, 1, 6, 1}, {1, 2, 3, 4, 5, 6});
  const fg::pool_3d_attributes a = attributes_of(fg::pool_3d_options{.window = {1, 1, 3}, .strides = {1, 1, 3}});
  const auto second = [&](auto of, auto ddx) { return fg::max_pool3d_grad_grad(a, of, fg::max_pool3d(a, of), ddx); };
  CHECK(values(evaluate(second, x, g)) == std::vector<float>{2, 0});
}
