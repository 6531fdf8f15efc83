#include <flowgraph/ops/array/diagonal.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("a tensor as a diagonal, and back") {
  const auto x = counting<float>({2, 2});
  const auto y = evaluate([](auto a) { return fg::tensor_diag(a); }, x);
  REQUIRE(y.shape() == fg::shape{2, 2, 2, 2});
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 4; ++k) CHECK(y(i, j, k / 2, k % 2) == (k == 2 * i + j ? x(i, j) : 0.f));
  const auto part = [](auto a) { return fg::tensor_diag_part(a); };
  CHECK(same_bits(evaluate(part, y), x));
  CHECK(evaluate(part, fg::tensor<float>(3.f))[0] == 3.f);
}
