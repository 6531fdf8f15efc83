#include <flowgraph/ops/array/partition.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("rows are dealt out in their order, and stitched together again") {
  const auto x = counting<float>({4, 2});
  const auto to = vector<std::int32_t>({1, 0, 1, 1});
  const auto part = [](int k) {
    return [k](auto a, auto p) { return fg::dynamic_partition(a, p, 3)[static_cast<std::size_t>(k)]; };
  };
  CHECK(values(evaluate(part(0), x, to)) == std::vector<float>{3, 4});
  CHECK(values(evaluate(part(1), x, to)) == std::vector<float>{1, 2, 5, 6, 7, 8});
  CHECK(evaluate(part(2), x, to).shape() == fg::shape{0, 2});
  const auto slope = [](auto a, auto p) {
    const auto parts = fg::dynamic_partition(a, p, 3);
    return fg::out<float>(fg::gradients(fg::sum(parts[1] * parts[1]), a));
  };
  CHECK(values(evaluate(slope, x, to)) == std::vector<float>{2, 4, 0, 0, 10, 12, 14, 16});
}

TEST_CASE("the last tensor that names a row makes it") {
  const auto y = evaluate(
      [](auto i, auto k, auto a, auto b) {
        return fg::dynamic_stitch<float>({i, k}, {a, b});
      },
      vector<std::int32_t>({0, 2}), vector<std::int32_t>({4, 2}), vector<float>({1, 2}), vector<float>({3, 4}));
  CHECK(values(y) == std::vector<float>{1, 0, 4, 0, 3});
}
