#include <flowgraph/ops/nn/bias.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("a bias is added to its channel, in either order of axes") {
  const auto x = counting<float>({2, 3, 2});
  const auto last = vector<float>({10, 20}), second = vector<float>({10, 20, 30});
  CHECK(values(evaluate([](auto a, auto b) { return fg::bias_add(a, b); }, x, last)) ==
        std::vector<float>{11, 22, 13, 24, 15, 26, 17, 28, 19, 30, 21, 32});
  CHECK(values(evaluate([](auto a, auto b) { return fg::bias_add(a, b, fg::data_format::nchw); }, x, second)) ==
        std::vector<float>{11, 12, 23, 24, 35, 36, 17, 18, 29, 30, 41, 42});
}

TEST_CASE("the gradient of a bias sums its channel, with the same bits by any number of threads") {
  for (const auto f : {fg::data_format::nhwc, fg::data_format::nchw}) {
    fg::tensor<float> x({1000, 130, 3});
    float next = 0.3f;
    for (float& e : x.writable()) e = next = next * 1.37f - static_cast<float>(static_cast<int>(next * 1.37f)) + 0.013f;
    const auto sum = [=](auto a) { return fg::bias_add_grad(a, f); };
    const auto alone = evaluate(sum, x);
    const int channels = f == fg::data_format::nhwc ? 3 : 130;
    REQUIRE(alone.size() == static_cast<std::size_t>(channels));
    double expected = 0;
    for (int i = 0; i < 1000; ++i)
      for (int j = 0; j < (f == fg::data_format::nhwc ? 130 : 3); ++j)
        expected += static_cast<double>(f == fg::data_format::nhwc ? x(i, j, channels - 1) : x(i, channels - 1, j));
    CHECK(alone[static_cast<std::size_t>(channels - 1)] == doctest::Approx(expected).epsilon(1e-6));
    fg::thread_pool pool(3);
    CHECK(same_bits(alone, evaluate_once(true, {.pool = &pool}, sum, x)));
  }
}

TEST_CASE("a bias gives and gets gradients") {
  const auto x = counting<float>({2, 2}), b = vector<float>({1, -1});
  const auto slope = [](auto a, auto c) { return fg::out<float>(fg::gradients(fg::sum(fg::square(fg::bias_add(a, c))), c)); };
  CHECK(values(evaluate(slope, x, b)) == std::vector<float>{12, 8});
  const auto twice = [&](auto a, auto c) { return fg::out<float>(fg::gradients(fg::sum(fg::square(slope(a, c))), a)); };
  CHECK(values(evaluate(twice, x, b)) == std::vector<float>{48, 32, 48, 32});
}

TEST_CASE("a bias of another length is refused") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {4, 3});
  CHECK(says(refusal(g, [&] { fg::bias_add(x, g.placeholder<float>("b", {4})); }), "one element per channel"));
}
