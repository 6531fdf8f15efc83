#include <flowgraph/ops/linear_algebra/qr.hpp>

#include "matrices.hpp"

using namespace ops_test;

TEST_CASE_TEMPLATE("q is orthonormal, r is upper triangular, and their product is the matrix", T, float, double, fg::complex64,
                   fg::complex128) {
  struct size {
    std::int64_t m, n;
  };
  for (const size z : {size{1, 1}, {3, 3}, {5, 2}, {2, 5}, {32, 32}, {33, 40}, {100, 70}})
    for (const bool full : {false, true}) {
      CAPTURE(z.m);
      CAPTURE(z.n);
      const auto x = drawn<T>({z.m, z.n}, 1);
      const auto q = evaluate([&](auto a) { return fg::qr(a, {.full_matrices = full}).q; }, x);
      const auto r = evaluate([&](auto a) { return fg::qr(a, {.full_matrices = full}).r; }, x);
      const std::int64_t k = full ? z.m : std::min(z.m, z.n);
      REQUIRE(q.shape() == fg::shape{z.m, k});
      REQUIRE(r.shape() == fg::shape{k, z.n});
      CHECK(distance(product(q, r), x) <= rounding<T>(z.m));
      CHECK(distance(product(adjoint(q), q), identity<T>(k)) <= rounding<T>(z.m));
      for (std::int64_t i = 0; i < k; ++i)
        for (std::int64_t j = 0; j < std::min(i, z.n); ++j) CHECK(r(i, j) == T(0));
    }
}

TEST_CASE("the signs of r are those of TensorFlow") {
  const fg::tensor<double> x({2, 2}, {3, 1, 4, 2});
  const auto r = evaluate([](auto a) { return fg::qr(a).r; }, x);
  CHECK(r(0, 0) == doctest::Approx(-5));
  CHECK(r(1, 1) == doctest::Approx(0.4));
  const fg::tensor<double> upper({2, 2}, {-1, 2, 0, -3});
  CHECK(values(evaluate([](auto a) { return fg::qr(a).r; }, upper)) == values(upper));
}

TEST_CASE("a gradient of qr needs the shape, and no further columns of q") {
  const auto why = [](const fg::shape& shape, bool full) {
    fg::graph g;
    const auto x = g.placeholder<float>("x", shape);
    return refusal(g, [&] { (void)fg::gradients(fg::sum(fg::qr(x, {.full_matrices = full}).q), x); });
  };
  CHECK(says(why(fg::shape::unknown(), false), "does not know the shape"));
  CHECK(says(why({4, 2}, true), "full_matrices"));
}

TEST_CASE("qr has the same bits by any number of threads") {
  evaluate_on_threads([](auto a) { return fg::qr(a).q; }, drawn<float>({250, 180}, 4));
}
