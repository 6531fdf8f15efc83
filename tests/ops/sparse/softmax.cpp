#include <flowgraph/ops/sparse/softmax.hpp>

#include "sparse_run.hpp"

using namespace ops_test;

TEST_CASE("the stored elements of each row have the sum 1") {
  const auto y = run_sparse([](auto x) { return fg::sparse_softmax(x).values; }, sparse_matrix());
  CHECK(y.data()[0] + y.data()[1] == doctest::Approx(1));
  CHECK(y.data()[1] / y.data()[0] == doctest::Approx(std::exp(1.f)));
  CHECK(y.data()[4] == 1.f);
}

TEST_CASE("a softmax refuses vectors and indices outside of the shape") {
  const auto softmax = [](auto x) { return fg::sparse_softmax(x).values; };
  CHECK(refusal_of(softmax, sparse_of<float>({1}, {1}, {3})).find("two axes") != std::string::npos);
  CHECK(refusal_of(softmax, sparse_of<float>({1, 3}, {1}, {2, 3})).find("position [0, 1]") != std::string::npos);
}
