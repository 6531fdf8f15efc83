#include <flowgraph/ops/sparse/reorder.hpp>

#include "sparse_run.hpp"

using namespace ops_test;

TEST_CASE("elements are put in row-major order, and equal places remain in their order") {
  const auto x = sparse_of<std::string>({1, 0, 0, 2, 1, 0, 0, 1}, {"c", "b", "d", "a"}, {2, 3});
  const auto [indices, elements] = run_sparse(
      [](auto in) {
        const auto y = fg::sparse_reorder(in);
        return fg::fetch(y.indices, y.values);
      },
      x);
  CHECK(values(indices) == std::vector<std::int64_t>{0, 1, 0, 2, 1, 0, 1, 0});
  CHECK(values(elements) == std::vector<std::string>{"a", "b", "c", "d"});
}

TEST_CASE("the gradient of a new order is in the old order") {
  const auto x = sparse_of<float>({1, 0, 0}, {1, 2, 3}, {2});
  const auto slopes = run_sparse(
      [](auto in, auto w) { return fg::out<float>(fg::gradients(fg::sum(fg::sparse_reorder(in).values * w), in.values)); }, x,
      vector<float>({10, 20, 30}));
  CHECK(values(slopes) == std::vector<float>{30, 10, 20});
}
