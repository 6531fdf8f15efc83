#include <flowgraph/ops/sparse/reduce.hpp>

#include "sparse_run.hpp"

#include <cmath>

using namespace ops_test;

TEST_CASE("sums and maxima along axes count the stored elements alone") {
  const auto x = sparse_of<float>({2, 0, 0, 1, 0, 3, 2, 2}, {-3, 1, -2, -4}, {4, 4});
  CHECK(values(run_sparse([](auto a) { return fg::sparse_reduce_sum(a, {1}); }, x)) == std::vector<float>{-1, 0, -7, 0});
  CHECK(values(run_sparse([](auto a) { return fg::sparse_reduce_max(a, {-1}); }, x)) == std::vector<float>{1, 0, -3, 0});
  const auto kept = run_sparse([](auto a) { return fg::sparse_reduce_sum(a, {0}, true); }, x);
  CHECK(kept.shape() == fg::shape{1, 4});
  CHECK(values(kept) == std::vector<float>{-3, 1, -4, -2});
  CHECK(run_sparse([](auto a) { return fg::sparse_reduce_sum(a, {0, 1}); }, x).scalar() == -8);
}

TEST_CASE("a NaN is the largest of a group until a number follows it") {
  const auto x =
      sparse_of<float>({0, 0, 0, 1, 1, 0, 1, 1, 2, 0, 2, 1, 2, 2}, {no_number, 0, 0, no_number, no_number, 1, 2}, {3, 3});
  const auto dense = run_sparse([](auto a) { return fg::sparse_reduce_max(a, {1}); }, x);
  const auto sparse = run_sparse([](auto a) { return fg::sparse_reduce_max_sparse(a, {1}).values; }, x);
  CHECK(same_bits(dense, sparse));
  CHECK(dense[0] == 0);
  CHECK(std::isnan(dense[1]));
  CHECK(dense[2] == 2);
}

TEST_CASE("a sparse result has only the groups with elements") {
  const auto [indices, sums, extents] = run_sparse(
      [](auto a) {
        const auto y = fg::sparse_reduce_max_sparse(a, {1});
        return fg::fetch(y.indices, y.values, y.dense_shape);
      },
      sparse_matrix());
  CHECK(values(indices) == std::vector<std::int64_t>{0, 2, 3});
  CHECK(values(sums) == std::vector<float>{2, 4, 5});
  CHECK(values(extents) == std::vector<std::int64_t>{4});
}

TEST_CASE("indices and axes outside of the shape are refused") {
  const auto x = sparse_of<float>({0, 1, 1, 9}, {1, 2}, {4, 4});
  CHECK(refusal_of([](auto a) { return fg::sparse_reduce_sum(a, {1}); }, x).find("position [1, 1]") != std::string::npos);
  const auto found = try_sparse([](auto a) { return fg::sparse_reduce_sum(a, {0}); }, x);
  REQUIRE_FALSE(found);
  CHECK(found.error().code() == fg::error_code::internal);  // as in TensorFlow
  const auto axis = [](auto a) { return fg::sparse_reduce_sum_sparse(a, {2}).values; };
  CHECK(refusal_of(axis, sparse_matrix()).find("axes must be in [-2, 2), found 2") != std::string::npos);
}
