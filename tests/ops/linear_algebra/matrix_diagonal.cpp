#include <flowgraph/ops/linear_algebra/matrix_diagonal.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

namespace {

const fg::tensor<std::int32_t> around({2}, {-1, 1}), infer(-1);

}  // namespace

TEST_CASE("diagonals stand at the end that the alignment names, and come back from it") {
  const auto x = counting<float>({3, 3});
  const auto taken = [&](fg::diagonal_alignment align) {
    const auto y = evaluate([align](auto a, auto k, auto p) { return fg::matrix_diag_part(a, k, p, align); }, x, around,
                            fg::tensor<float>(-1.f));
    const auto back = evaluate([align](auto a, auto k, auto n, auto p) { return fg::matrix_diag(a, k, n, n, p, align); }, y,
                               around, infer, fg::tensor<float>(0.f));
    CHECK(values(back) == std::vector<float>{1, 2, 0, 4, 5, 6, 0, 8, 9});
    const auto whole = evaluate([align](auto a, auto b, auto k) { return fg::matrix_set_diag(a, b, k, align); }, x, y, around);
    CHECK(same_bits(whole, x));
    return values(y);
  };
  using enum fg::diagonal_alignment;
  CHECK(taken(right_left) == std::vector<float>{-1, 2, 6, 1, 5, 9, 4, 8, -1});
  CHECK(taken(left_right) == std::vector<float>{2, 6, -1, 1, 5, 9, -1, 4, 8});
  CHECK(taken(left_left) == std::vector<float>{2, 6, -1, 1, 5, 9, 4, 8, -1});
  CHECK(taken(right_right) == std::vector<float>{-1, 2, 6, 1, 5, 9, -1, 4, 8});
}

TEST_CASE("matrices are as small as hold their diagonals, and no larger than these reach") {
  const auto made = [](std::int32_t rows, std::int32_t columns) {
    fg::graph g;
    auto d = g.placeholder<float>("d", {2, 2});
    auto scalar = [&](std::int32_t n) { return g.constant(fg::tensor<std::int32_t>(n)); };
    return refusal(g, [&] {
      fg::matrix_diag(d, g.constant(vector<std::int32_t>({1, 2})), scalar(rows), scalar(columns), g.constant(0.f));
    });
  };
  CHECK(!made(-1, -1));
  CHECK(!made(2, 3));
  CHECK(says(made(1, -1), "expected at least 2 rows and 3 columns"));
  CHECK(says(made(3, 4), "must reach the last of 3 rows or 4 columns"));
}

TEST_CASE("a band of a matrix") {
  const auto x = counting<float>({3, 3});
  CHECK(values(evaluate([](auto a) { return fg::matrix_band_part(a, 0, -1); }, x)) ==
        std::vector<float>{1, 2, 3, 0, 5, 6, 0, 0, 9});
  CHECK(values(evaluate([](auto a) { return fg::matrix_band_part(a, 1, 0); }, x)) ==
        std::vector<float>{1, 0, 0, 4, 5, 0, 0, 8, 9});
}

TEST_CASE("gradients stay on the diagonals") {
  const auto slope = [](auto a, auto d) {
    const auto y = fg::matrix_set_diag(a, d);
    auto [da, dd] = fg::gradients(fg::sum(y * y), a, d);
    return fg::out<float>(da) + fg::matrix_diag(fg::out<float>(dd));
  };
  CHECK(values(evaluate(slope, counting<float>({2, 2}), vector<float>({5, 7}))) == std::vector<float>{10, 4, 6, 14});
}
