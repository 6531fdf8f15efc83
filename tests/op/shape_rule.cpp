#include <flowgraph/op/shape_rule.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

// A rule as an op has it: it also runs at compile time.
constexpr fg::shape matmul_shape(fg::shape_context& c, const fg::shape& a, const fg::shape& b) {
  if (a.rank != 2 || b.rank != 2) return c.fail("expected two matrices");
  return {a[0], b[1]};
}
constexpr fg::shape matmul_shape(const fg::shape& a, const fg::shape& b) {
  fg::shape_context c;
  return matmul_shape(c, a, b);
}

fg::shape integers(const fg::any_tensor& value) {
  const fg::any_tensor* const constants[] = {nullptr, &value};
  return fg::shape_context(constants, 2).integers(1);
}

}  // namespace

static_assert(matmul_shape({2, 3}, {3, 4}) == fg::shape{2, 4});
static_assert(matmul_shape({fg::any, 3}, {3, 4}) == fg::shape{fg::any, 4});

TEST_CASE("a refusal ends the rule with an unknown shape; the first one counts") {
  fg::shape_context c;
  CHECK_FALSE(c.failed());
  CHECK(matmul_shape(c, {2}, {3, 4}) == fg::shape::unknown());
  CHECK(c.failed());
  c.fail("something else");
  CHECK(c.message() == "expected two matrices");
  c.reset(nullptr, 0, 3);
  CHECK_FALSE(c.failed());
  CHECK(c.output_count() == 3);
}

TEST_CASE("the value of an input is there when it is constant") {
  const fg::any_tensor value = fg::tensor<float>(2.f).erased();
  const fg::any_tensor* const constants[] = {nullptr, &value};
  const fg::shape_context c(constants, 2);
  CHECK(c.constant(0) == nullptr);
  CHECK(c.constant(1) == &value);
  CHECK(c.constant(2) == nullptr);
  CHECK(c.integers(0) == fg::shape::unknown());
}

TEST_CASE("integers are read from int32 and int64 inputs, and from no others") {
  CHECK(integers(fg::tensor<std::int32_t>({2}, {-1, 7}).erased()) == fg::shape{-1, 7});
  CHECK(integers(fg::tensor<std::int64_t>({3}, {1, 0, 2}).erased()) == fg::shape{1, 0, 2});
  CHECK(integers(fg::tensor<std::int64_t>(4).erased()) == fg::shape{4});
  CHECK(integers(fg::tensor<std::int32_t>(fg::shape{0}).erased()) == fg::shape{});
  CHECK(integers(fg::tensor<float>({2}, {1, 2}).erased()) == fg::shape::unknown());
  CHECK(integers(fg::tensor<std::int32_t>(fg::shape{fg::shape::max_rank + 1}).erased()) == fg::shape::unknown());
}
