#include <flowgraph/ops/array/tiling.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("the shape that two broadcast to") {
  const auto y = evaluate([](auto a, auto b) { return fg::broadcast_dynamic_shape(a, b); }, vector<std::int32_t>({2, 1, 4}),
                          vector<std::int32_t>({3, 1}));
  CHECK(values(y) == std::vector<std::int32_t>{2, 3, 4});
}

TEST_CASE("tiles are added up") {
  const auto y = evaluate([](auto x, auto m) { return fg::apply(fg::tile_grad_op{}, x, m); }, counting<float>({2, 4}),
                          vector<std::int32_t>({1, 2}));
  REQUIRE(y.shape() == fg::shape{2, 2});
  CHECK(values(y) == std::vector<float>{1 + 3, 2 + 4, 5 + 7, 6 + 8});
}
