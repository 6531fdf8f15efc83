#include <flowgraph/ops/sparse/reshape.hpp>

#include "sparse_run.hpp"

using namespace ops_test;

namespace {

auto reshaped(std::initializer_list<std::int64_t> wanted) {
  return [=](auto x) {
    const auto y = fg::sparse_reshape(x, wanted);
    return fg::fetch(y.indices, y.dense_shape);
  };
}

}  // namespace

TEST_CASE("places are computed for other extents, one of which may be left out") {
  const auto [indices, extents] = run_sparse(reshaped({2, -1}), sparse_matrix());
  CHECK(values(indices) == std::vector<std::int64_t>{0, 1, 0, 3, 1, 0, 1, 2, 1, 7});
  CHECK(values(extents) == std::vector<std::int64_t>{2, 8});
}

TEST_CASE("extents of another size, and indices outside of the shape, are refused") {
  CHECK(refusal_of(reshaped({3, 5}), sparse_matrix()).find("must have 16 elements, found 15") != std::string::npos);
  CHECK(refusal_of(reshaped({3, -1}), sparse_matrix()).find("divisor") != std::string::npos);
  CHECK(refusal_of(reshaped({-1, -1}), sparse_matrix()).find("only one") != std::string::npos);
  const std::int64_t large = std::int64_t{1} << 33;
  CHECK(refusal_of(reshaped({large, large}), sparse_matrix()).find("64 bits") != std::string::npos);
  CHECK(refusal_of(reshaped({16}), sparse_of<float>({0, 1, 1, 4}, {1, 2}, {4, 4})).find("position [1, 1]") != std::string::npos);
}
