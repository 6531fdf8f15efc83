#include <flowgraph/ops/linear_algebra/least_squares.hpp>

#include "matrices.hpp"

using namespace ops_test;

TEST_CASE_TEMPLATE("the error of least squares is perpendicular to the columns", T, float, double, fg::complex64,
                   fg::complex128) {
  const auto a = drawn<T>({30, 6}, 1), b = drawn<T>({30, 2}, 2);
  for (const bool fast : {true, false}) {
    const auto x = evaluate([&](auto l, auto r) { return fg::lstsq(l, r, {.fast = fast}); }, a, b);
    CHECK(distance(product(adjoint(a), product(a, x)), product(adjoint(a), b)) <= rounding<T>(30));
  }
}

TEST_CASE("of many solutions, the shortest is returned") {
  const auto a = drawn<double>({6, 40}, 1), b = drawn<double>({6, 2}, 2);
  const auto fast = evaluate([](auto l, auto r) { return fg::lstsq(l, r); }, a, b);
  const auto slow = evaluate([](auto l, auto r) { return fg::lstsq(l, r, {.fast = false}); }, a, b);
  CHECK(distance(product(a, fast), b) < 1e-12);
  CHECK(distance(fast, slow) < 1e-12);
}

TEST_CASE("columns that depend on each other need the slow way, or a regularizer") {
  const fg::tensor<double> a({2, 2}, {1, 2, 2, 4}), b({2, 1}, {1, 2});
  const auto slow = evaluate([](auto l, auto r) { return fg::lstsq(l, r, {.fast = false}); }, a, b);
  CHECK(slow(0, 0) == doctest::Approx(0.2));
  CHECK(slow(1, 0) == doctest::Approx(0.4));
  const auto ridge = evaluate([](auto l, auto r) { return fg::lstsq(l, r, {.l2_regularizer = 0.5}); }, a, b);
  CHECK(ridge(0, 0) == doctest::Approx(0.19607843137254902));
  fg::graph g;
  fg::session s{g};
  const auto made = s.try_run(fg::fetch(fg::lstsq(g.constant(a), g.constant(b))));
  REQUIRE(!made);
  CHECK(made.error().code() == fg::error_code::invalid_argument);
  CHECK(says(made.error(), "rank deficient"));
  const auto negative = s.try_run(fg::fetch(fg::lstsq(g.constant(a), g.constant(b), {.l2_regularizer = -1})));
  REQUIRE(!negative);
  CHECK(says(negative.error(), "l2_regularizer must be >= 0."));
}
