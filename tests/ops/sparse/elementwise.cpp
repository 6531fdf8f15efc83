#include <flowgraph/ops/sparse/elementwise.hpp>

#include "sparse_run.hpp"

using namespace ops_test;

TEST_CASE("a dense tensor is broadcast to the places of a sparse tensor") {
  const fg::tensor<float> row({4}, {10, 20, 30, 40}), column({4, 1}, {1, 2, 3, 4});
  CHECK(values(run_sparse([](auto x, auto d) { return fg::sparse_dense_cwise_mul(x, d).values; }, sparse_matrix(), row)) ==
        std::vector<float>{20, 80, 30, 120, 200});
  CHECK(values(run_sparse([](auto x, auto d) { return fg::sparse_dense_cwise_add(x, d).values; }, sparse_matrix(), column)) ==
        std::vector<float>{2, 3, 6, 7, 9});
  CHECK(values(run_sparse([](auto x, auto d) { return fg::sparse_dense_cwise_div(x, d).values; }, sparse_matrix(),
                          fg::tensor<float>(2.f))) == std::vector<float>{0.5f, 1, 1.5f, 2, 2.5f});
}

TEST_CASE("division by zero, other shapes and indices outside of the shape are refused") {
  const auto divided = [](auto x, auto d) { return fg::sparse_dense_cwise_div(x, d).values; };
  CHECK(refusal_of(divided, sparse_matrix<std::int32_t>(), vector<std::int32_t>({1, 1, 0, 1})).find("element 3") !=
        std::string::npos);
  CHECK(refusal_of(divided, sparse_matrix(), vector<float>({1, 1, 1})).find("expected 1 or 4") != std::string::npos);
  const auto x = sparse_of<float>({0, 1, -1, 1}, {1, 2}, {4, 4});
  CHECK(refusal_of(divided, x, vector<float>({1, 1, 1, 1})).find("position [1, 0]") != std::string::npos);
}
