#include <flowgraph/ops/linear_algebra/eigenvalues.hpp>

#include "matrices.hpp"

using namespace ops_test;

TEST_CASE_TEMPLATE("eigenvalues ascend, and their vectors are orthonormal", T, float, double, fg::complex64, fg::complex128) {
  for (const std::int64_t n : {1, 2, 3, 20, 70}) {
    CAPTURE(n);
    const auto x = positive<T>(n, 1);
    const auto e = evaluate([](auto a) { return fg::eigh(a).values; }, x);
    const auto v = evaluate([](auto a) { return fg::eigh(a).vectors; }, x);
    CHECK(distance(product(adjoint(v), v), identity<T>(n)) <= rounding<T>(n));
    fg::tensor<T> scaled({n, n});
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) scaled.writable()[static_cast<std::size_t>(i * n + j)] = v(i, j) * e(j);
    CHECK(distance(product(x, v), scaled) <= rounding<T>(n) * static_cast<double>(n));
    for (std::int64_t i = 1; i < n; ++i) CHECK(std::real(e(i - 1)) <= std::real(e(i)));
  }
}

TEST_CASE("eigenvalues read the lower triangle, of any size of numbers") {
  const auto e = evaluate([](auto a) { return fg::eigh(a).values; }, fg::tensor<double>({2, 2}, {1e200, 9, 2e200, 4e200}));
  CHECK(std::abs(e(0)) < 1e186);
  CHECK(e(1) == doctest::Approx(5e200));
  const auto equal = evaluate([](auto a) { return fg::eigh(a).values; }, identity<float>(12));
  for (const float one : equal) CHECK(one == 1);
}

TEST_CASE("a matrix with NaN has no eigenvalues") {
  fg::graph g;
  fg::session s{g};
  const auto made = s.try_run(fg::fetch(fg::eigh(g.constant(fg::tensor<float>({2, 2}, {1, 0, no_number, 1}))).values));
  REQUIRE(!made);
  CHECK(made.error().code() == fg::error_code::invalid_argument);
  CHECK(says(made.error(), "Self-adjoint eigen decomposition was not successful"));
}
