#include <flowgraph/ops/array/slice.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("a slice is a box of its input") {
  const auto x = counting<float>({3, 4, 5});
  const auto y = evaluate([](auto a) { return fg::slice(a, {1, 0, 2}, {2, 3, -1}); }, x);
  REQUIRE(y.shape() == fg::shape{2, 3, 3});
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) CHECK(y(i, j, k) == x(i + 1, j, k + 2));
  CHECK(evaluate([](auto a) { return fg::slice(a, {3, 0, 0}, {-1, 1, 1}); }, x).shape() == fg::shape{0, 1, 1});
}

TEST_CASE("a box that leaves its input is refused") {
  const auto refused = [](const fg::shape& begin, const fg::shape& size) {
    fg::graph g;
    auto x = g.placeholder<float>("x", {3, 4});
    return refusal(g, [&] { fg::slice(x, begin, size); });
  };
  CHECK(says(refused({0, 5}, {1, -1}), "begin of axis 1 must be between 0 and the extent of the axis, found 5"));
  CHECK(says(refused({2, 0}, {2, 1}), "begin and size of axis 0 must not reach beyond its extent 3"));
  CHECK(says(refused({-1, 0}, {1, 1}), "begin of axis 0"));
  CHECK(says(refused({0, 0}, {1, -2}), "size of axis 1 must be -1 or more"));
  CHECK(says(refused({0}, {1}), "begin must have one element per axis (2), found 1"));
}

TEST_CASE("padding surrounds, and its gradient cuts out what it surrounded") {
  const auto x = counting<float>({2, 3}), w = counting<float>({4, 6});
  const auto y = evaluate([](auto a) { return fg::pad(a, {1, 2}, {1, 1}); }, x);
  REQUIRE(y.shape() == fg::shape{4, 6});
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 6; ++j) CHECK(y(i, j) == (i >= 1 && i < 3 && j >= 2 && j < 5 ? x(i - 1, j - 2) : 0.f));
  const auto dx = evaluate(
      [](auto a, auto b) {
        return fg::out<float>(fg::gradients(fg::sum(fg::pad(a, {1, 2}, {1, 1}) * b), a));
      },
      x, w);
  CHECK(values(dx) == std::vector<float>{9, 10, 11, 15, 16, 17});
}

TEST_CASE("padding of some axes only: the axes behind them are copied together") {
  const auto x = counting<float>({2, 3, 4, 5});
  for (const auto& [before, after] : std::vector<std::pair<fg::shape, fg::shape>>{{{0, 1, 0, 0}, {0, 2, 1, 0}},
                                                                                  {{1, 0, 0, 0}, {0, 0, 0, 0}},
                                                                                  {{0, 0, 0, 0}, {0, 0, 0, 0}},
                                                                                  {{0, 0, 0, 2}, {0, 1, 0, 0}}}) {
    const fg::tensor<float> y = evaluate([&](auto a) { return fg::pad(a, before, after); }, x);
    std::size_t at = 0;
    std::int64_t k[4];
    for (k[0] = 0; k[0] < y.shape()[0]; ++k[0])
      for (k[1] = 0; k[1] < y.shape()[1]; ++k[1])
        for (k[2] = 0; k[2] < y.shape()[2]; ++k[2])
          for (k[3] = 0; k[3] < y.shape()[3]; ++k[3], ++at) {
            bool inside = true;
            std::int64_t from = 0;
            for (int i = 0; i < 4; ++i) {
              const std::int64_t place = k[i] - before[i];
              inside = inside && place >= 0 && place < x.shape()[i];
              from = from * x.shape()[i] + place;
            }
            REQUIRE(y.values()[at] == (inside ? x.values()[static_cast<std::size_t>(from)] : 0.f));
          }
  }
}

TEST_CASE("the gradient of a slice is zero around it") {
  const auto x = counting<float>({3, 4});
  const auto slope = [](auto a) { return fg::out<float>(fg::gradients(fg::sum(fg::square(fg::slice(a, {1, 1}, {2, 2}))), a)); };
  CHECK(values(evaluate(slope, x)) == std::vector<float>{0, 0, 0, 0, 0, 12, 14, 0, 0, 20, 22, 0});
}

TEST_CASE("a prepared step whose shape `size` alone tells looks at `begin` in every run") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {4});
  auto begin = g.placeholder<std::int32_t>("begin", {1});
  auto y = fg::slice(x, begin, fg::detail::shape_constant(x, {2}, {}));
  fg::session s{g};
  auto step = s.prepare(fg::feed(x, begin), fg::fetch(y));
  const auto v = counting<float>({4});
  CHECK(step(v, vector<std::int32_t>({2}))[1] == 4.f);
  for (const std::int32_t wild : {3, -1, 2000000000, -2000000000})
    CHECK_THROWS_AS(step(v, vector<std::int32_t>({wild})), fg::error);
}
