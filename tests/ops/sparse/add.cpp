#include <flowgraph/ops/sparse/add.hpp>

#include "sparse_run.hpp"

using namespace ops_test;

namespace {

fg::sparse_tensor<float> constant_of(const fg::any_out& beside, const sparse_value<float>& x) {
  return {fg::detail::constant_beside(beside, x.indices), fg::detail::constant_beside(beside, x.values),
          fg::detail::constant_beside(beside, x.extents)};
}
const sparse_value<float> other_addend = sparse_of<float>({0, 0, 0, 3, 2, 0}, {10, 20, -3}, {4, 4});

}  // namespace

TEST_CASE("the sum of sparse tensors has the places of both, without shared places below the threshold") {
  const auto sum = [](float threshold) {
    return [=](auto x) {
      const auto y = fg::sparse_add(x, constant_of(x.indices, other_addend), threshold);
      return fg::fetch(y.indices, y.values);
    };
  };
  const auto [indices, elements] = run_sparse(sum(0), sparse_matrix());
  CHECK(values(indices) == std::vector<std::int64_t>{0, 0, 0, 1, 0, 3, 2, 0, 2, 2, 3, 3});
  CHECK(values(elements) == std::vector<float>{10, 1, 22, 0, 4, 5});
  CHECK(values(std::get<1>(run_sparse(sum(4.5f), sparse_matrix()))) ==
        std::vector<float>{10, 1, 22, 4, 5});  // only the place [2, 0] is in both and below the threshold
}

TEST_CASE("the gradient of an element that the sum leaves out is zero") {
  const auto slope = run_sparse(
      [](auto x) {
        const auto y = fg::sparse_add(x, constant_of(x.indices, other_addend), 4.5f);
        return fg::out<float>(fg::gradients(fg::sum(fg::square(y.values)), x.values));
      },
      sparse_matrix());
  CHECK(values(slope) == std::vector<float>{2, 44, 0, 8, 10});
}

TEST_CASE("a sparse tensor is added to a dense one, and repeated places are added up") {
  const auto x = sparse_of<float>({0, 1, 0, 1}, {1, 2}, {2, 2});
  CHECK(values(run_sparse([](auto a, auto b) { return fg::sparse_tensor_dense_add(a, b); }, x,
                          fg::tensor<float>({2, 2}, {10, 20, 30, 40}))) == std::vector<float>{10, 23, 30, 40});
}

TEST_CASE("sums refuse other shapes and indices outside of the shape") {
  const auto sum = [](auto x) { return fg::sparse_add(x, constant_of(x.indices, other_addend)).values; };
  CHECK(refusal_of(sum, sparse_of<float>({0, 0}, {1}, {4, 5})).find("extent 1 is 5 and 4") != std::string::npos);
  CHECK(refusal_of(sum, sparse_of<float>({0, 4}, {1}, {4, 4})).find("position [0, 1]") != std::string::npos);
  const auto dense = [](auto a, auto b) { return fg::sparse_tensor_dense_add(a, b); };
  const fg::tensor<float> b({2, 2}, {1, 2, 3, 4});
  CHECK(refusal_of(dense, sparse_of<float>({2, 0}, {1}, {2, 2}), b).find("position [0, 0]") != std::string::npos);
  CHECK(refusal_of(dense, sparse_of<float>({0, 0}, {1}, {2, 3}), b).find("expected 2") != std::string::npos);
}
