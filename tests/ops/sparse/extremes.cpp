#include <flowgraph/ops/sparse/extremes.hpp>

#include "sparse_run.hpp"

#include <cmath>

using namespace ops_test;

TEST_CASE("elements that are not stored count as zero") {
  const auto x = sparse_of<float>({0, 1, 2}, {-1, 2, 3}, {5});
  const auto extremes = [](auto in) {
    const fg::sparse_tensor<float> other{fg::detail::constant_beside(in.indices, fg::tensor<std::int64_t>({2, 1}, {1, 4})),
                                         fg::detail::constant_beside(in.indices, vector<float>({5, -6})), in.dense_shape};
    return fg::fetch(fg::sparse_maximum(in, other).values, fg::sparse_minimum(in, other).values,
                     fg::sparse_minimum(in, other).indices);
  };
  const auto [largest, smallest, indices] = run_sparse(extremes, x);
  CHECK(values(largest) == std::vector<float>{0, 5, 3, 0});
  CHECK(values(smallest) == std::vector<float>{-1, 2, 0, -6});
  CHECK(values(indices) == std::vector<std::int64_t>{0, 1, 2, 4});
}

TEST_CASE("extremes refuse indices outside of the shape") {
  const auto largest = [](auto in) { return fg::sparse_maximum(in, in).values; };
  CHECK(refusal_of(largest, sparse_of<float>({0, 5}, {1, 2}, {5})).find("position [1, 0]") != std::string::npos);
}

TEST_CASE("the extreme of a number and NaN is NaN, whichever comes first") {
  const auto extremes = [](auto in) {
    const fg::sparse_tensor<float> other{in.indices, fg::detail::constant_beside(in.indices, vector<float>({no_number, 2})),
                                         in.dense_shape};
    return fg::fetch(fg::sparse_maximum(in, other).values, fg::sparse_minimum(in, other).values);
  };
  const auto [largest, smallest] = run_sparse(extremes, sparse_of<float>({0, 1}, {1, no_number}, {2}));
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(std::isnan(largest[i]));
    CHECK(std::isnan(smallest[i]));
  }
}
