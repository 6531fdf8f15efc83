#include <flowgraph/ops/linear_algebra/inverse.hpp>

#include "matrices.hpp"

using namespace ops_test;

TEST_CASE_TEMPLATE("a matrix times its inverse is the identity", T, float, double, fg::complex64, fg::complex128) {
  for (const std::int64_t n : {1, 2, 16, 31, 90}) {
    CAPTURE(n);
    const auto x = positive<T>(n, 1);
    const auto limit = rounding<T>(n) * static_cast<double>(n);
    CHECK(distance(product(x, evaluate([](auto a) { return fg::inverse(a); }, x)), identity<T>(n)) <= limit);
    const auto y = evaluate([](auto a) { return fg::inverse(a, {.adjoint = true}); }, x);
    CHECK(distance(product(adjoint(x), y), identity<T>(n)) <= limit);
  }
}

TEST_CASE("halves are inverted in single precision") {
  const fg::tensor<fg::half> x({2, 2}, {fg::half(4.f), fg::half(0.f), fg::half(0.f), fg::half(0.5f)});
  const auto y = evaluate([](auto a) { return fg::inverse(a); }, x);
  CHECK(static_cast<float>(y(0, 0)) == 0.25f);
  CHECK(static_cast<float>(y(1, 1)) == 2.f);
}

TEST_CASE("a singular matrix has no inverse and no LU decomposition") {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 2}, {1, 2, 2, 4}));
  fg::session s{g};
  for (const auto& y : {fg::inverse(x), fg::lu(x).lu}) {
    const auto made = s.try_run(fg::fetch(y));
    REQUIRE(!made);
    CHECK(made.error().code() == fg::error_code::invalid_argument);
    CHECK(says(made.error(), "Input is not invertible."));
  }
}

TEST_CASE("determinants have signs, and do not overflow on the way") {
  const auto det = [](auto a) { return fg::det(a); };
  CHECK(evaluate(det, fg::tensor<double>({2, 2}, {1, 2, 3, 4})).scalar() == doctest::Approx(-2));
  CHECK(evaluate(det, fg::tensor<double>({2, 2}, {1, 2, 2, 4})).scalar() == 0);
  CHECK(evaluate(det, fg::tensor<double>({3, 3}, {1e200, 0, 0, 0, 1e200, 0, 0, 0, 1e-300})).scalar() == doctest::Approx(1e100));
  CHECK(evaluate(det, fg::tensor<float>({0, 0})).scalar() == 1);
  CHECK(std::isnan(evaluate(det, fg::tensor<float>({1, 1}, {no_number})).scalar()));
  const auto z = evaluate(det, fg::tensor<fg::complex128>({2, 2}, {{0, 1}, 0, 0, {0, 3}}));
  CHECK(z.scalar() == fg::complex128(-3));
}

TEST_CASE("log_det gives the sign and the logarithm of a determinant") {
  const auto sign = [](auto a) { return fg::log_det(a).sign; };
  const auto log = [](auto a) { return fg::log_det(a).log; };
  const fg::tensor<double> x({2, 2}, {1, 2, 3, 4}), singular({2, 2}, {1, 2, 2, 4});
  CHECK(evaluate(sign, x).scalar() == -1);
  CHECK(evaluate(log, x).scalar() == doctest::Approx(std::log(2.)));
  CHECK(evaluate(sign, singular).scalar() == 0);
  CHECK(evaluate(log, singular).scalar() == -std::numeric_limits<double>::infinity());
  const fg::tensor<fg::complex128> z({1, 1}, {{0, -2}});
  CHECK(evaluate(sign, z).scalar() == fg::complex128(0, -1));
}

TEST_CASE("an LU decomposition names the order of the rows") {
  const std::int64_t n = 40;
  const auto x = drawn<double>({n, n}, 9);
  const auto packed = evaluate([](auto a) { return fg::lu(a).lu; }, x);
  const auto rows = evaluate([](auto a) { return fg::lu(a).rows; }, x);
  fg::tensor<double> l = identity<double>(n), u({n, n}), ordered({n, n});
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const auto at = static_cast<std::size_t>(i * n + j);
      (j < i ? l : u).writable()[at] = packed(i, j);
      CHECK((j >= i || std::abs(packed(i, j)) <= 1));
      ordered.writable()[at] = x(rows(i), j);
    }
  CHECK(distance(product(l, u), ordered) < 1e-12);
}
