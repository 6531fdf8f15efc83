#include <flowgraph/ops/nn/pool_v2.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("sizes and steps of windows can be inputs") {
  const auto x = counting<float>({2, 5, 4, 3});
  const auto sizes = vector<std::int32_t>({1, 2, 3, 1}), steps = vector<std::int32_t>({1, 1, 2, 1});
  const fg::pool_options o{.window = {2, 3}, .strides = {1, 2}};
  const auto fixed = [&](auto a, auto, auto) { return fg::max_pool(a, o); };
  const auto given = [](auto a, auto k, auto s) { return fg::max_pool_v2({}, a, k, s); };
  CHECK(same_bits(evaluate(fixed, x, sizes, steps), evaluate(given, x, sizes, steps)));
  const auto gradient = [](const auto& f) {
    return [&f](auto a, auto k, auto s) { return fg::out<float>(fg::gradients(fg::sum(fg::square(f(a, k, s))), a)); };
  };
  CHECK(same_bits(evaluate(gradient(fixed), x, sizes, steps), evaluate(gradient(given), x, sizes, steps)));
}

TEST_CASE("a window can be over channels alone") {
  const fg::tensor<float> x({1, 1, 2, 4}, {1, 3, 2, -1, 0, -5, -7, -6});
  const auto four = vector<std::int32_t>({1, 1, 1, 2});
  CHECK(values(evaluate([](auto a, auto k) { return fg::max_pool_v2({}, a, k, k); }, x, four)) ==
        std::vector<float>{3, 2, 0, -6});
  fg::pool_attributes a;
  a.ksize = a.strides = {1, 1, 1, 4};
  CHECK(values(evaluate([&](auto b) { return fg::max_pool(a, b); }, x)) == std::vector<float>{3, 0});
}
