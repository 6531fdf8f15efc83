#include <flowgraph/ops/sparse/to_dense.hpp>

#include "sparse_run.hpp"

using namespace ops_test;

namespace {

const auto to_dense = [](auto x) { return fg::sparse_to_dense(x); };

}  // namespace

TEST_CASE("a sparse tensor becomes dense with the default value elsewhere") {
  const auto y = run_sparse([](auto x, auto d) { return fg::sparse_to_dense(x, d); }, sparse_matrix(), fg::tensor<float>(9.f));
  CHECK(y.shape() == fg::shape{4, 4});
  CHECK(values(y) == std::vector<float>{9, 1, 9, 2, 9, 9, 9, 9, 3, 9, 4, 9, 9, 9, 9, 5});
}

TEST_CASE("strings become dense too") {
  const auto x = sparse_of<std::string>({1}, {"word"}, {3});
  CHECK(values(run_sparse(to_dense, x)) == std::vector<std::string>{"", "word", ""});
}

TEST_CASE("an index outside of the shape is refused with its position") {
  for (const std::int64_t bad :
       {std::int64_t{-1}, std::int64_t{4}, std::int64_t{1} << 62, std::numeric_limits<std::int64_t>::min()}) {
    const auto x = sparse_of<float>({0, 1, 1, bad}, {1, 2}, {4, 4});
    CHECK(refusal_of(to_dense, x).find("position [1, 1] must be in [0, 4), found " + std::to_string(bad)) != std::string::npos);
  }
}

TEST_CASE("places out of order and repeated places are refused, unless they are not validated") {
  const auto falling = sparse_of<float>({3, 1}, {1, 2}, {5}), repeated = sparse_of<float>({1, 1}, {1, 2}, {5});
  CHECK(refusal_of(to_dense, falling).find("place 1 precedes place 0") != std::string::npos);
  CHECK(refusal_of(to_dense, repeated).find("place 1 equals place 0") != std::string::npos);
  const auto any_order = [](auto x, auto d) {
    return fg::apply(fg::site{}, fg::sparse_to_dense_op{false}, x.indices, x.dense_shape, x.values, d);
  };
  CHECK(values(run_sparse(any_order, falling, fg::tensor<float>(0.f))) == std::vector<float>{0, 2, 0, 1, 0});
  CHECK(values(run_sparse(any_order, repeated, fg::tensor<float>(0.f))) == std::vector<float>{0, 2, 0, 0, 0});
}

TEST_CASE("extents that overflow or are negative are refused") {
  CHECK(refusal_of(to_dense, sparse_of<float>({0, 0}, {1}, {-4, 4})).find("negative") != std::string::npos);
  const auto huge = try_sparse(to_dense, sparse_of<float>({0, 0}, {1}, {std::int64_t{1} << 40, std::int64_t{1} << 40}));
  CHECK_FALSE(huge);
}
