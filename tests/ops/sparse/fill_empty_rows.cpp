#include <flowgraph/ops/sparse/fill_empty_rows.hpp>

#include "sparse_run.hpp"

using namespace ops_test;

namespace {

const auto filled = [](auto x, auto d) {
  const auto y = fg::sparse_fill_empty_rows(x, d);
  return fg::fetch(y.filled.indices, y.filled.values, y.empty_row_indicator, y.reverse_index_map);
};

}  // namespace

TEST_CASE("each empty row gets an element, and elements are ordered by row") {
  const auto x = sparse_of<float>({3, 1, 0, 2, 3, 0}, {1, 2, 3}, {4, 4});
  const auto [indices, elements, empty, map] = run_sparse(filled, x, fg::tensor<float>(9.f));
  CHECK(values(indices) == std::vector<std::int64_t>{0, 2, 1, 0, 2, 0, 3, 1, 3, 0});
  CHECK(values(elements) == std::vector<float>{2, 9, 9, 1, 3});
  CHECK(values(empty) == std::vector<bool>{false, true, true, false});
  CHECK(values(map) == std::vector<std::int64_t>{3, 0, 4});
}

TEST_CASE("the gradient of the default value is the sum over the empty rows") {
  const auto slope = run_sparse(
      [](auto x, auto d) {
        const auto y = fg::sparse_fill_empty_rows(x, d).filled.values;
        return fg::out<float>(fg::gradients(fg::sum(fg::square(y)), d));
      },
      sparse_matrix(), fg::tensor<float>(3.f));
  CHECK(slope.scalar() == 6.f);
}

TEST_CASE("rows outside of the shape are refused with their position") {
  const auto x = sparse_of<float>({0, 0, 4, 0}, {1, 2}, {4, 4});
  CHECK(refusal_of(filled, x, fg::tensor<float>(0.f)).find("position [1, 0]") != std::string::npos);
  const auto none = sparse_of<float>({0, 0}, {1}, {0, 4});
  CHECK(refusal_of(filled, none, fg::tensor<float>(0.f)).find("in [0, 0), found 0") != std::string::npos);
}
