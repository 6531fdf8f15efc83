#include <flowgraph/ops/sparse/zero_skipping_matmul.hpp>

#include <flowgraph/ops/reduction/reduction.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

namespace {

// a = 0 1 / 2 0 / 0 0, b = 1 2 / 0 3, each transposed where that is requested.
fg::tensor<float> sparse_left(bool transposed) {
  return transposed ? fg::tensor<float>({2, 3}, {0, 2, 0, 1, 0, 0}) : fg::tensor<float>({3, 2}, {0, 1, 2, 0, 0, 0});
}
fg::tensor<float> sparse_right(bool transposed) {
  return transposed ? fg::tensor<float>({2, 2}, {1, 0, 2, 3}) : fg::tensor<float>({2, 2}, {1, 2, 0, 3});
}

}  // namespace

TEST_CASE("the product and its gradients are those of dense matrices, for each form") {
  for (int form = 0; form < 16; ++form) {
    CAPTURE(form);
    const fg::zero_skipping_options options{(form & 1) != 0, (form & 2) != 0, (form & 4) != 0, (form & 8) != 0};
    fg::graph g;
    const auto a = g.constant(sparse_left(options.transpose_a)), b = g.constant(sparse_right(options.transpose_b));
    const auto y = fg::zero_skipping_matmul(a, b, options);
    const auto dense = fg::matmul(a, b, {.transpose_a = options.transpose_a, .transpose_b = options.transpose_b});
    const auto found = fg::gradients(fg::sum(fg::square(y)), a, b), expected = fg::gradients(fg::sum(fg::square(dense)), a, b);
    fg::session s{g};
    const auto [product, da, db, da_expected, db_expected] =
        s.run(fg::fetch(y, std::get<0>(found), std::get<1>(found), std::get<0>(expected), std::get<1>(expected)));
    CHECK(values(product) == std::vector<float>{0, 3, 2, 4, 0, 0});
    CHECK(values(da) == values(da_expected));
    CHECK(values(db) == values(db_expected));
  }
}

TEST_CASE("zeros of the flagged matrix are skipped, and bfloat16 is multiplied in float") {
  fg::graph g;
  const float infinite = std::numeric_limits<float>::infinity();
  const auto a = g.constant(fg::tensor<float>({1, 2}, {0, 2})), b = g.constant(fg::tensor<float>({2, 1}, {infinite, 3}));
  const auto brief = g.constant(fg::tensor<fg::bfloat16>({2, 1}, {fg::bfloat16(5.f), fg::bfloat16(0.5f)}));
  fg::session s{g};
  const auto [skipped, kept, mixed] =
      s.run(fg::fetch(fg::zero_skipping_matmul(a, b, {.a_is_sparse = true}),
                      fg::zero_skipping_matmul(a, b, {.b_is_sparse = true}), fg::zero_skipping_matmul(a, brief)));
  CHECK(skipped[0] == 6.f);
  CHECK(std::isnan(kept[0]));
  CHECK(mixed[0] == 1.f);
}
