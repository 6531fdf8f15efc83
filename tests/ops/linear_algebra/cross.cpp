#include <flowgraph/ops/linear_algebra/cross.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("a cross product is perpendicular to both vectors") {
  const fg::tensor<int> a({2, 3}, {1, 0, 0, 1, 2, 3}), b({2, 3}, {0, 1, 0, 4, 5, 6});
  CHECK(values(evaluate([](auto x, auto y) { return fg::cross(x, y); }, a, b)) == std::vector<int>{0, 0, 1, -3, 6, -3});
}

TEST_CASE("integers of a cross product wrap around") {
  const fg::tensor<std::uint8_t> a({3}, {0, 1, 0}), b({3}, {1, 0, 0});
  CHECK(values(evaluate([](auto x, auto y) { return fg::cross(x, y); }, a, b)) == std::vector<std::uint8_t>{0, 0, 255});
}

TEST_CASE("vectors of two elements have no cross product") {
  fg::graph g;
  const auto a = g.constant(fg::tensor<float>({2}, {1, 2}));
  fg::session s{g};
  const auto made = s.try_run(fg::fetch(fg::cross(a, a)));
  REQUIRE(!made);
  CHECK(made.error().code() == fg::error_code::failed_precondition);
}
