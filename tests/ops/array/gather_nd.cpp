#include <flowgraph/ops/array/gather_nd.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("index vectors pick elements, rows, or all") {
  const auto x = counting<float>({2, 3});
  const auto pick = [](auto a, auto i) { return fg::gather_nd(a, i); };
  CHECK(values(evaluate(pick, x, fg::tensor<std::int32_t>({2, 2}, {1, 2, 0, 0}))) == std::vector<float>{6, 1});
  CHECK(values(evaluate(pick, x, fg::tensor<std::int64_t>({1, 1}, {1}))) == std::vector<float>{4, 5, 6});
  CHECK(evaluate(pick, x, fg::tensor<std::int16_t>({2}, {1, 1})).scalar() == 5.f);
  CHECK(evaluate(pick, x, fg::tensor<std::int32_t>(fg::shape{4, 0})).shape() == fg::shape{4, 2, 3});
}

TEST_CASE("a vector that leads out is named, or gives zeros where the op says so") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2, 3});
  auto i = g.placeholder<std::int32_t>("i", {2, 2});
  auto y = fg::gather_nd(x, i);
  auto z = fg::apply(fg::gather_nd_op{fg::bad_indices_policy::ignore}, x, i);
  fg::session s{g};
  const auto v = counting<float>({2, 3});
  const fg::tensor<std::int32_t> wild({2, 2}, {1, 1, 0, -1});
  const auto made = s.try_run(fg::fetch(y), {{x, v}, {i, wild}});
  REQUIRE_FALSE(made);
  CHECK(made.error().code() == fg::error_code::invalid_argument);
  CHECK(says(made.error(), "index vector 1, [0,-1], leads out of the shape [2,3]"));
  CHECK(values(s.run(fg::fetch(z), {{x, v}, {i, wild}})) == std::vector<float>{5, 0});
}
