#include <flowgraph/op/packed_weights.hpp>

#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/nn/convolution.hpp>
#include <flowgraph/ops/nn/depthwise.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace fg = flowgraph;

namespace {

fg::tensor<float> numbers(const fg::shape& s) {
  fg::tensor<float> made(s);
  float next = 1;
  for (float& v : made.writable()) v = next++;
  return made;
}

}  // namespace

TEST_CASE("packed weights: all users of a matrix share one copy, which lives as long as one of them") {
  const fg::mat_mul_op product;
  const fg::any_tensor a = numbers({16, 32}).erased(), b = numbers({16, 32}).erased();
  const fg::shape rows{32, 16};
  const auto first = product.packed(rows, a);
  REQUIRE(first);
  CHECK(first->weights.data() == a.data());
  CHECK(first->panels.size() >= 512);
  CHECK(first->are_finite);
  CHECK(product.packed({2, 16}, a) == first);
  CHECK(product.packed(rows, b) != first);
  const std::weak_ptr<const fg::detail::packed_weights> seen = product.packed(rows, b);
  CHECK(seen.expired());
  // A transposed matrix has another order.
  const auto transposed = fg::mat_mul_op{.transpose_b = true}.packed({32, 32}, a);
  REQUIRE(transposed);
  CHECK(transposed != first);
}

TEST_CASE("packed weights: a copy knows whether all weights are finite") {
  fg::tensor<float> weights = numbers({16, 32});
  weights.writable()[5] = std::numeric_limits<float>::infinity();
  CHECK_FALSE(fg::mat_mul_op{}.packed({32, 16}, weights.erased())->are_finite);
}

TEST_CASE("packed weights: ops refuse copies that their kernels would not read") {
  const fg::any_tensor matrix = numbers({16, 32}).erased();
  CHECK(fg::mat_mul_op{}.packed({1, 16}, matrix) == nullptr);        // a single row
  CHECK(fg::mat_mul_op{}.packed({fg::any, 16}, matrix) == nullptr);  // perhaps a single row
  CHECK(fg::mat_mul_op{}.packed(fg::shape::unknown(), matrix) == nullptr);
  CHECK(fg::mat_mul_op{.transpose_a = true}.packed({16, 1}, matrix) == nullptr);
  CHECK(fg::mat_mul_op{.transpose_a = true}.packed({16, 2}, matrix) != nullptr);

  CHECK(fg::mat_mul_op{}.packed({32, 64}, numbers({64, 3}).erased()) == nullptr);  // its panels would be mostly empty

  fg::conv2d_op convolution;
  convolution.strides = {1, 1, 1, 1};
  const fg::any_tensor filter = numbers({1, 1, 16, 32}).erased();
  CHECK(convolution.packed({1, 2, 1, 16}, filter) != nullptr);
  CHECK(convolution.packed({fg::any, 1, 1, 16}, filter) != nullptr);
  CHECK(convolution.packed({1, 1, 1, 16}, filter) == nullptr);  // a single pixel
  CHECK(convolution.packed({1, 2, 1, 32}, filter) == nullptr);  // two groups of channels
  convolution.data_format = fg::data_format::nchw;
  CHECK(convolution.packed({1, 16, 2, 1}, filter) == nullptr);
}

TEST_CASE("packed weights: the description of an op says whether it packs them") {
  const auto packs = [](const fg::op_table& t) { return t.description->packed != nullptr; };
  CHECK(packs(fg::table_of<fg::conv2d_op, float>));
  CHECK(packs(fg::table_of<fg::mat_mul_op, float>));
  CHECK_FALSE(packs(fg::table_of<fg::depthwise_conv2d_op, float>));
}
