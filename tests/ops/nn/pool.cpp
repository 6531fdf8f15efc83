#include <flowgraph/ops/nn/pool.hpp>

#include "../evaluate.hpp"

#include <cmath>

using namespace ops_test;

TEST_CASE("the border counts for nothing, neither in a maximum nor in a mean") {
  const fg::tensor<float> x({1, 3, 3, 1}, {-1, -2, -3, -4, -5, -6, -7, -8, -9});
  const auto largest = [](auto a) {
    return fg::max_pool(a, {.window = {2, 2}, .strides = {2, 2}, .padding = fg::padding::same});
  };
  const auto mean = [](auto a) { return fg::avg_pool(a, {.window = {2, 2}, .strides = {2, 2}, .padding = fg::padding::same}); };
  CHECK(values(evaluate(largest, x)) == std::vector<float>{-1, -3, -7, -9});
  CHECK(values(evaluate(mean, x)) == std::vector<float>{-3, -4.5, -7.5, -9});
  const auto dx = [&](auto a) { return fg::out<float>(fg::gradients(fg::sum(mean(a)), a)); };
  CHECK(values(evaluate(dx, x)) == std::vector<float>{.25f, .25f, .5f, .25f, .25f, .5f, .5f, .5f, 1});
}

TEST_CASE("of equal elements the first one gets the gradient, once for each window") {
  const fg::tensor<float> x({1, 3, 3, 1}, {1, 1, 0, 0, 2, 2, 0, 2, 0});
  const fg::tensor<float> w({1, 2, 2, 1}, {1, 10, 100, 1000});
  const auto pool = [](auto a) { return fg::max_pool(a, {.window = {2, 2}, .strides = {1, 1}}); };
  const auto dx = [&](auto a, auto b) { return fg::out<float>(fg::gradients(fg::sum(pool(a) * b), a)); };
  CHECK(values(evaluate(dx, x, w)) == std::vector<float>{0, 0, 0, 0, 1111, 0, 0, 0, 0});
}

TEST_CASE("elements outside of disjoint windows have no gradient") {
  const fg::tensor<float> x({1, 3, 5, 1}, {1, 2, 3, 4, 9, 5, 6, 8, 7, 9, 9, 9, 9, 9, 9}), w({1, 1, 2, 1}, {10, 100});
  const auto valid = [](auto a, auto b) { return fg::out<float>(fg::gradients(fg::sum(fg::max_pool(a) * b), a)); };
  CHECK(values(evaluate(valid, x, w)) == std::vector<float>{0, 0, 0, 0, 0, 0, 10, 100, 0, 0, 0, 0, 0, 0, 0});
  const fg::tensor<float> v({1, 2, 3, 1}, {1, 10, 100, 1000, 10000, -0.0f});
  const auto same = [](auto a, auto b) {
    const fg::pool_options o{.window = {2, 2}, .strides = {2, 2}, .padding = fg::padding::same};
    return fg::out<float>(fg::gradients(fg::sum(fg::max_pool(a, o) * b), a));
  };
  const auto dx = evaluate(same, x, v);
  CHECK(values(dx) == std::vector<float>{0, 0, 0, 0, 100, 0, 1, 10, 0, 0, 1000, 0, 10000, 0, 0});
  CHECK_FALSE(std::signbit(dx[14]));  // a sum that begins with 0
}

TEST_CASE("NaN is never the largest of a window") {
  for (const std::int64_t depth : {1, 40}) {
    fg::tensor<float> x({1, 2, 2, depth});
    const auto largest = [&] {
      return evaluate_once(
          true, {}, [](auto a) { return fg::max_pool(a); }, x)[0];
    };
    x.writable()[static_cast<std::size_t>(2 * depth)] = no_number;
    CHECK(largest() == 0.f);
    for (float& e : x.writable()) e = no_number;
    CHECK(largest() == std::numeric_limits<float>::lowest());
  }
}

TEST_CASE("the second gradient passes over NaN, and is 0 where nothing equals the largest") {
  const fg::tensor<float> x({1, 1, 6, 1}, {no_number, 1, 2, -infinity, -infinity, no_number}),
      g({1, 1, 6, 1}, {1, 2, 3, 4, 5, 6});
  const fg::pool_attributes a = attributes_of(fg::pool_options{.window = {1, 3}, .strides = {1, 3}});
  const auto second = [&](auto of, auto ddx) { return fg::max_pool_grad_grad(a, of, fg::max_pool(a, of), ddx); };
  CHECK(values(evaluate(second, x, g)) == std::vector<float>{3, 0});
}

TEST_CASE("pools of many channels agree with pools of one, whatever the threads") {
  fg::tensor<float> x({3, 9, 11, 70});
  float next = 0.3f;
  for (float& e : x.writable()) e = next = next * 1.37f - static_cast<float>(static_cast<int>(next * 1.37f)) + 0.013f;
  fg::tensor<float> one({3, 9, 11, 1});
  for (std::size_t i = 0; i < one.size(); ++i) one.writable()[i] = x[i * 70 + 69];
  const auto all = [](auto a) {
    const fg::pool_options o{.window = {3, 2}, .strides = {2, 1}, .padding = fg::padding::same};
    fg::out<float> largest = fg::gradients(fg::sum(fg::square(fg::max_pool(a, o))), a);
    fg::out<float> mean = fg::gradients(fg::sum(fg::square(fg::avg_pool(a, o))), a);
    return fg::pack({largest, mean});
  };
  const auto many = evaluate(all, x), few = evaluate(all, one);
  bool equal = true;
  for (std::size_t i = 0; i < few.size(); ++i) equal = equal && few[i] == many[i * 70 + 69];
  CHECK(equal);
  fg::thread_pool pool(3);
  CHECK(same_bits(many, evaluate_once(true, {.pool = &pool}, all, x)));
}

TEST_CASE("a maximum differentiates twice") {
  const fg::tensor<float> x({1, 2, 2, 1}, {1, 4, 2, 3});
  // The second derivative of max(x)^2 is 2 at the maximum.
  const auto twice = [](auto a) {
    fg::out<float> first = fg::gradients(fg::sum(fg::square(fg::max_pool(a))), a);
    return fg::out<float>(fg::gradients(fg::sum(first), a));
  };
  CHECK(values(evaluate(twice, x)) == std::vector<float>{0, 2, 0, 0});
}

TEST_CASE("integers pool as they are") {
  const fg::tensor<std::int8_t> x({1, 2, 2, 1}, {-128, -3, -5, -7});
  CHECK(evaluate([](auto a) { return fg::max_pool(a); }, x)[0] == -3);
}

TEST_CASE("windows that make no pool are refused") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {1, 4, 4, 3});
  CHECK(says(refusal(g, [&] { fg::max_pool(x, {.window = {9, 2}}); }), "a window of 9 does not fit into an extent of 4"));
  fg::graph h;
  auto z = h.placeholder<float>("z", {1, 4, 4, 3});
  fg::pool_attributes a = fg::attributes_of(fg::pool_options{});
  a.ksize = {1, 2, 2, 3};
  CHECK(says(refusal(h, [&] { fg::max_pool(a, z); }), "a window over channels"));
}

TEST_CASE("the CPU refuses pools for channels that come first, unless the batch is empty") {
  fg::graph g;
  fg::pool_attributes a = fg::attributes_of(fg::pool_options{});
  a.data_format = fg::data_format::nchw;
  a.ksize = {1, 1, 2, 2};
  a.strides = {1, 1, 2, 2};
  const auto some = fg::max_pool(a, g.constant(fg::tensor<float>({1, 3, 4, 4})));
  const auto none = fg::max_pool(a, g.constant(fg::tensor<float>({0, 3, 4, 4})));
  fg::session s{g};
  const auto run = s.try_run(fg::fetch(some));
  REQUIRE_FALSE(run);
  CHECK(run.error().code() == fg::error_code::unimplemented);
  CHECK(says(run.error(), "data_format='NCHW'"));
  CHECK(s.run(fg::fetch(none)).shape() == fg::shape{0, 3, 2, 2});
}

TEST_CASE("the gradient of a pool without windows is zero") {
  const fg::tensor<float> x({1, 2, 2, 1}, {1, 2, 3, 4});
  const fg::pool_options wide{.window = {3, 3}, .strides = {1, 1}, .padding = fg::padding::valid};
  const auto largest = [&](auto a) { return fg::out<float>(fg::gradients(fg::sum(fg::max_pool(a, wide)), a)); };
  const auto mean = [&](auto a) { return fg::out<float>(fg::gradients(fg::sum(fg::avg_pool(a, wide)), a)); };
  CHECK(values(evaluate(largest, x)) == std::vector<float>(4, 0.f));
  CHECK(values(evaluate(mean, x)) == std::vector<float>(4, 0.f));
}
