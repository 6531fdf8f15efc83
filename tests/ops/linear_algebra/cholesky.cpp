#include <flowgraph/ops/linear_algebra/cholesky.hpp>

#include "matrices.hpp"

using namespace ops_test;

TEST_CASE_TEMPLATE("a Cholesky decomposition is a lower triangle whose product is the matrix", T, float, double, fg::complex64,
                   fg::complex128) {
  for (const std::int64_t n : {1, 2, 16, 17, 40, 130}) {
    CAPTURE(n);
    const auto x = positive<T>(n, 1);
    const auto l = evaluate([](auto a) { return fg::cholesky(a); }, x);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = i + 1; j < n; ++j) CHECK(l(i, j) == T(0));
    CHECK(distance(product(l, adjoint(l)), x) <= 2 * rounding<T>(n));
  }
}

TEST_CASE("a Cholesky decomposition reads the lower triangle alone") {
  const fg::tensor<double> x({2, 2}, {4, 99, 2, 10});
  CHECK(values(evaluate([](auto a) { return fg::cholesky(a); }, x)) == std::vector<double>{2, 0, 1, 3});
}

TEST_CASE("a matrix that is not positive definite decomposes into NaN, and the others of its batch do not") {
  const fg::tensor<float> x({3, 2, 2}, {1, 2, 2, 1, 4, 2, 2, 10, 0, 0, 0, 0});
  const auto l = evaluate([](auto a) { return fg::cholesky(a); }, x);
  for (const std::size_t i : {0, 2, 3, 8, 10, 11}) CHECK(std::isnan(l.data()[i]));
  CHECK(std::vector<float>(l.begin() + 4, l.begin() + 8) == std::vector<float>{2, 0, 1, 3});
}

TEST_CASE("cholesky_solve solves equations of the decomposed matrix") {
  const auto x = positive<double>(20, 1), b = drawn<double>({20, 3}, 2);
  const auto y = evaluate([](auto a, auto r) { return fg::cholesky_solve(fg::cholesky(a), r); }, x, b);
  CHECK(distance(product(x, y), b) < 1e-10);
}

TEST_CASE("the gradient of a Cholesky decomposition is that along symmetric matrices") {
  constexpr std::int64_t n = 5;
  const auto x = positive<double>(n, 1), weights = drawn<double>({n, n}, 2);
  const auto loss = [](auto a, auto w) { return fg::sum(fg::cholesky(a) * w); };
  const auto slope = evaluate([&](auto a, auto w) { return fg::out<double>(fg::gradients(loss(a, w), a)); }, x, weights);
  const auto again = evaluate([](auto l, auto w) { return fg::apply(fg::cholesky_grad_op{}, l, w); },
                              evaluate([](auto a) { return fg::cholesky(a); }, x), weights);
  CHECK(distance(slope, again) < 1e-12);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j <= i; ++j) {
      const auto moved = [&](double by) {
        fg::tensor<double> y(x.shape());
        std::copy(x.begin(), x.end(), y.writable().begin());
        y.writable()[static_cast<std::size_t>(i * n + j)] += by;
        if (i != j) y.writable()[static_cast<std::size_t>(j * n + i)] += by;
        return evaluate(loss, y, weights).scalar();
      };
      const double expected = (moved(1e-5) - moved(-1e-5)) / 2e-5;
      CHECK(slope(i, j) + (i == j ? 0 : slope(j, i)) == doctest::Approx(expected).epsilon(1e-6));
    }
}

TEST_CASE("Cholesky decompositions have the same bits by any number of threads") {
  const auto x = positive<float>(300, 3);
  const auto l = evaluate_on_threads([](auto a) { return fg::cholesky(a); }, x);
  CHECK(distance(product(l, adjoint(l)), x) < 1e-2);
}
