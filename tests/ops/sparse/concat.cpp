#include <flowgraph/ops/sparse/concat.hpp>

#include "sparse_run.hpp"

using namespace ops_test;

TEST_CASE("parts of a split that are put together again are the whole") {
  for (const int axis : {0, 1, -1})
    for (const int count : {1, 2, 3}) {
      const auto x = sparse_matrix();
      const auto [indices, elements, extents] = run_sparse(
          [&](auto in) {
            const auto y = fg::sparse_concat(fg::sparse_split(in, count, axis), axis);
            return fg::fetch(y.indices, y.values, y.dense_shape);
          },
          x);
      CHECK(same_bits(indices, x.indices));
      CHECK(same_bits(elements, x.values));
      CHECK(same_bits(extents, x.extents));
    }
}

TEST_CASE("the first parts of a split are larger by one row") {
  const auto extents = run_sparse([](auto in) { return fg::sparse_split(in, 3, 0)[0].dense_shape; }, sparse_matrix());
  CHECK(values(extents) == std::vector<std::int64_t>{2, 4});
}

TEST_CASE("splits and concatenations refuse wrong axes, and indices outside of the shape") {
  const auto split = [](auto in) { return fg::sparse_split(in, 5, 0)[0].values; };
  CHECK(refusal_of(split, sparse_matrix()).find("num_split must be in [1, 4]") != std::string::npos);
  const auto joined = [](auto in) { return fg::sparse_concat(std::vector{in, in}, 0).values; };
  const auto x = sparse_of<float>({0, 0, 1, 4}, {1, 2}, {4, 4});
  CHECK(refusal_of(joined, x).find("position [1, 1] of input 0") != std::string::npos);
  const auto along = [](auto in) { return fg::sparse_concat(std::vector{in, in}, 2).values; };
  CHECK(refusal_of(along, sparse_matrix()).find("concat_dim must be in [-2, 2)") != std::string::npos);
}
