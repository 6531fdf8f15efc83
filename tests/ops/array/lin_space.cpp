#include <flowgraph/ops/array/lin_space.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("equal distances, and both ends exactly") {
  const auto space = [](int n) { return [n](auto a, auto b) { return fg::linspace(a, b, n); }; };
  const fg::tensor<float> zero(0.f), last(0.1f);
  CHECK(values(evaluate(space(5), zero, fg::tensor<float>(2.f))) == std::vector<float>{0, 0.5f, 1, 1.5f, 2});
  CHECK(values(evaluate(space(1), zero, last)) == std::vector<float>{0});
  CHECK(evaluate(space(8), zero, last)[7] == 0.1f);
  fg::graph g;
  auto x = g.placeholder<double>("x", {});
  CHECK(says(refusal(g, [&] { fg::linspace(x, x, 0); }), "num must be positive"));
}
