#include <flowgraph/ops/linear_algebra/matrix_functions.hpp>

#include <flowgraph/graph/gradients.hpp>
#include "matrices.hpp"

using namespace ops_test;

namespace {

const auto exponential = [](auto a) { return fg::matrix_exponential(a); };
const auto logarithm = [](auto a) { return fg::matrix_logarithm(a); };
const auto square_root = [](auto a) { return fg::matrix_square_root(a); };

template <class T> fg::tensor<T> scaled_by(const fg::tensor<T>& x, double factor) {
  fg::tensor<T> y(x.shape());
  for (std::size_t i = 0; i < x.size(); ++i) y.writable()[i] = x.data()[i] * static_cast<real_of<T>>(factor);
  return y;
}
template <class T> bool is_missing(const fg::tensor<T>& x) {
  return std::all_of(x.begin(), x.end(), [](T e) { return std::isnan(std::real(e)); });
}

}  // namespace

TEST_CASE_TEMPLATE("the exponentials of x and -x are inverse", T, float, double, fg::complex64, fg::complex128) {
  for (const std::int64_t n : {1, 2, 3, 20, 50})
    for (const double factor : {0.001, 0.05, 0.3, 1., 3.}) {
      CAPTURE(n);
      CAPTURE(factor);
      const auto x = scaled_by(drawn<T>({n, n}, 1), factor / std::sqrt(static_cast<double>(n)));
      const auto there = evaluate(exponential, x), back = evaluate(exponential, scaled_by(x, -1));
      CHECK(distance(product(there, back), identity<T>(n)) <= rounding<T>(n) * std::exp(3 * factor));
    }
}

TEST_CASE("exponentials of rotations, of nilpotent matrices and of large numbers") {
  const auto turned = evaluate(exponential, fg::tensor<double>({2, 2}, {0, -1, 1, 0}));
  CHECK(distance(turned, fg::tensor<double>({2, 2}, {std::cos(1.), -std::sin(1.), std::sin(1.), std::cos(1.)})) < 1e-15);
  const auto series = evaluate(exponential, fg::tensor<double>({3, 3}, {0, 1, 0, 0, 0, 1, 0, 0, 0}));
  CHECK(distance(series, fg::tensor<double>({3, 3}, {1, 1, 0.5, 0, 1, 1, 0, 0, 1})) < 1e-15);
  const auto large = evaluate(exponential, fg::tensor<double>({2, 2}, {1000, 0, 0, 1}));
  CHECK(large(0, 0) == infinity);
  CHECK(large(1, 1) == doctest::Approx(std::exp(1.)));
  CHECK(is_missing(evaluate(exponential, fg::tensor<double>({2, 2}, {1, infinity, 0, 1}))));
  CHECK(is_missing(evaluate(exponential, fg::tensor<float>({2, 2}, {1, no_number, 0, 1}))));
  CHECK(evaluate(exponential, fg::tensor<double>({2, 0, 0})).shape() == fg::shape{2, 0, 0});
}

TEST_CASE_TEMPLATE("the exponential of a logarithm is the matrix", T, fg::complex64, fg::complex128) {
  for (const std::int64_t n : {1, 2, 3, 20, 50})
    for (const auto& x : {positive<T>(n, 2), drawn<T>({n, n}, 3)}) {
      CAPTURE(n);
      const auto y = evaluate(logarithm, x);
      CHECK(distance(evaluate(exponential, y), x) <= 30 * rounding<T>(n) * static_cast<double>(n));
    }
}

TEST_CASE("logarithms of negative numbers and of singular matrices") {
  using C = fg::complex128;
  const auto y = evaluate(logarithm, fg::tensor<C>({2, 2}, {-1., 0., 0., -4.}));
  CHECK(std::abs(y(0, 0) - C(0, std::acos(-1.))) < 1e-15);
  CHECK(std::abs(y(1, 1) - C(std::log(4.), std::acos(-1.))) < 1e-15);
  CHECK(is_missing(evaluate(logarithm, fg::tensor<C>({2, 2}))));
  CHECK(is_missing(evaluate(logarithm, fg::tensor<C>({2, 2}, {1, infinity, 0, 1}))));
  CHECK(std::abs(evaluate(logarithm, fg::tensor<C>({2, 2}, {1e200, 1e200, 0, 1e200}))(0, 1) - 1.) < 1e-9);
}

TEST_CASE_TEMPLATE("the square of a square root is the matrix", T, float, double, fg::complex64, fg::complex128) {
  for (const std::int64_t n : {1, 2, 3, 20, 70}) {
    CAPTURE(n);
    fg::tensor<T> turning = drawn<T>({n, n}, 3);  // with complex eigenvalues, far from negative numbers
    for (std::int64_t i = 0; i < n; ++i)
      turning.writable()[static_cast<std::size_t>(i * n + i)] += T(static_cast<real_of<T>>(2 + n / 4));
    for (const auto& x : {positive<T>(n, 2), turning}) {
      const auto y = evaluate(square_root, x);
      CHECK(distance(product(y, y), x) <= rounding<T>(n) * static_cast<double>(n));
    }
  }
}

TEST_CASE("a negative eigenvalue has a square root among complex numbers only") {
  CHECK(is_missing(evaluate(square_root, fg::tensor<double>({2, 2}, {1, 2, 3, 4}))));
  CHECK(is_missing(evaluate(square_root, fg::tensor<double>({3, 3}, {0, -1, 0, 1, 0, 0, 0, 0, -1}))));
  CHECK(is_missing(evaluate(square_root, fg::tensor<double>({2, 2}, {1, no_number, 0, 2}))));
  const fg::tensor<fg::complex128> x({2, 2}, {1, 2, 3, 4});
  const auto y = evaluate(square_root, x);
  CHECK(distance(product(y, y), x) < 1e-14);
  const auto quarter = evaluate(square_root, fg::tensor<double>({2, 2}, {0, -1, 1, 0}));
  const double half = std::sqrt(0.5);
  CHECK(distance(quarter, fg::tensor<double>({2, 2}, {half, -half, half, half})) < 1e-15);
  const auto tiny = evaluate(square_root, fg::tensor<float>({2, 2}, {2e-30f, 1e-30f, 1e-30f, 2e-30f}));
  CHECK(tiny(0, 0) == doctest::Approx(1.3660254e-15));
}

TEST_CASE("the gradient of a square root agrees without a known shape") {
  fg::graph g;
  const auto x = g.constant(fg::tensor<double>({2, 2, 2}, {4, 1, 2, 5, 3, 0, 1, 2}));
  const auto p = g.placeholder<double>("p", fg::shape::unknown());
  const auto of = [](auto a) { return fg::gradients(fg::sum(fg::square(fg::matrix_square_root(a))), a); };
  const auto known = of(x), unknown = of(p);
  fg::session s{g};
  const auto [a, b] = s.run(fg::fetch(known, unknown), {{p, fg::tensor<double>({2, 2, 2}, {4, 1, 2, 5, 3, 0, 1, 2})}});
  CHECK(distance(a, b) < 1e-15);
}

TEST_CASE("functions of matrices have the same bits by any number of threads") {
  evaluate_on_threads(exponential, drawn<float>({40, 9, 9}, 8));
  evaluate_on_threads(exponential, drawn<float>({100, 100}, 8));
  evaluate_on_threads(square_root, positive<double>(100, 8));
  evaluate_on_threads(logarithm, positive<fg::complex64>(100, 8));
}
