#include <flowgraph/ops/sparse/slice.hpp>

#include "sparse_run.hpp"

using namespace ops_test;

namespace {

auto sliced(std::initializer_list<std::int64_t> start, std::initializer_list<std::int64_t> size) {
  return [=](auto x) {
    const auto y = fg::sparse_slice(x, start, size);
    return fg::fetch(y.indices, y.values, y.dense_shape);
  };
}

}  // namespace

TEST_CASE("a block contains the elements inside of it, and is cut off at the shape") {
  const auto [indices, elements, extents] = run_sparse(sliced({1, 0}, {100, 3}), sparse_matrix());
  CHECK(values(indices) == std::vector<std::int64_t>{1, 0, 1, 2});
  CHECK(values(elements) == std::vector<float>{3, 4});
  CHECK(values(extents) == std::vector<std::int64_t>{3, 3});
}

TEST_CASE("a block of the largest size is cut off without an overflow") {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK(values(std::get<1>(run_sparse(sliced({2, 2}, {most, most}), sparse_matrix()))) == std::vector<float>{4, 5});
}

TEST_CASE("elements outside of a block have the gradient zero") {
  const auto slope = run_sparse(
      [](auto x) {
        const auto y = fg::sparse_slice(x, {1, 0}, {2, 4}).values;
        return fg::out<float>(fg::gradients(fg::sum(fg::square(y)), x.values));
      },
      sparse_matrix());
  CHECK(values(slope) == std::vector<float>{0, 0, 6, 8, 0});
}

TEST_CASE("negative sizes and indices outside of the shape are refused") {
  CHECK(refusal_of(sliced({0, 0}, {-1, 2}), sparse_matrix()).find("element 0 of size") != std::string::npos);
  CHECK(refusal_of(sliced({0, 0}, {1, 2}), sparse_of<float>({0, -7}, {1}, {4, 4})).find("position [0, 1]") != std::string::npos);
}
