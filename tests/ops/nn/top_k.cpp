#include <flowgraph/ops/nn/top_k.hpp>

#include "../evaluate.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace ops_test;

TEST_CASE("of equal elements the first comes first, zeros of both signs are equal, and NaN comes last") {
  const auto x = vector<float>({-0.f, no_number, 0, -infinity, infinity, -1});
  const auto indices = [](auto a, auto k) { return fg::top_k(a, k).indices; };
  CHECK(values(evaluate(indices, x, fg::tensor<std::int32_t>(6))) == std::vector<std::int32_t>{4, 0, 2, 5, 3, 1});
  CHECK(values(evaluate(indices, x, fg::tensor<std::int32_t>(1))) == std::vector<std::int32_t>{4});
  const auto lowest = vector<std::int8_t>({-128, 127, -1, 0});
  CHECK(values(evaluate(indices, lowest, fg::tensor<std::int32_t>(4))) == std::vector<std::int32_t>{1, 3, 2, 0});
}

TEST_CASE("few and many of a long row are those that sorting finds") {
  fg::tensor<float> x({3, 5000});
  std::uint32_t state = 1;
  for (float& e : x.writable()) e = static_cast<float>((state = state * 1664525u + 1013904223u) >> 20);
  for (const std::int32_t k : {1, 7, 1250, 1251, 4999, 5000}) {
    const auto found =
        evaluate([](auto a, auto n) { return fg::top_k<std::int64_t>(a, n).indices; }, x, fg::tensor<std::int32_t>(k));
    for (std::size_t row = 0; row < 3; ++row) {
      std::vector<std::int64_t> order(5000);
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return x[row * 5000 + static_cast<std::size_t>(a)] > x[row * 5000 + static_cast<std::size_t>(b)];
      });
      const auto n = static_cast<std::size_t>(k);
      const bool same = std::equal(order.begin(), order.begin() + k, found.begin() + row * n);
      CHECK(same);
    }
  }
}
