#include <flowgraph/ops/array/one_hot.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("one place is on along a new axis") {
  const auto x = vector<std::int64_t>({1, -1, 3});
  const auto y = evaluate([](auto a) { return fg::one_hot(a, 3); }, x);
  REQUIRE(y.shape() == fg::shape{3, 3});
  CHECK(values(y) == std::vector<float>{0, 1, 0, 0, 0, 0, 0, 0, 0});
  const auto z = evaluate([](auto a) { return fg::one_hot<std::int32_t>(a, 2, 0); }, vector<std::uint8_t>({1, 0, 1}));
  REQUIRE(z.shape() == fg::shape{2, 3});
  CHECK(values(z) == std::vector<std::int32_t>{0, 1, 0, 1, 0, 1});
  fg::graph g;
  auto p = g.placeholder<std::int32_t>("x", {3});
  CHECK(says(refusal(g, [&] { fg::one_hot(p, -1); }), "depth must not be negative"));
  CHECK(says(refusal(g, [&] { fg::one_hot(p, 2, 2); }), "axis must be in [-1, 1], found 2"));
}
