#include <flowgraph/ops/linear_algebra/svd.hpp>

#include "matrices.hpp"

using namespace ops_test;

namespace {

template <class T> fg::tensor<T> composed(const fg::tensor<T>& s, const fg::tensor<T>& u, const fg::tensor<T>& v) {
  const std::int64_t k = s.dim(0);
  fg::tensor<T> left({u.dim(0), k}), right({v.dim(0), k});
  for (std::int64_t j = 0; j < k; ++j) {
    for (std::int64_t i = 0; i < u.dim(0); ++i) left.writable()[static_cast<std::size_t>(i * k + j)] = u(i, j) * s(j);
    for (std::int64_t i = 0; i < v.dim(0); ++i) right.writable()[static_cast<std::size_t>(i * k + j)] = v(i, j);
  }
  return product(left, adjoint(right));
}

}  // namespace

TEST_CASE_TEMPLATE("singular values descend, and compose the matrix", T, float, double, fg::complex64, fg::complex128) {
  struct size {
    std::int64_t m, n;
  };
  for (const size z : {size{1, 1}, {3, 3}, {5, 2}, {2, 5}, {40, 40}, {60, 25}, {25, 60}})
    for (const bool full : {false, true}) {
      CAPTURE(z.m);
      CAPTURE(z.n);
      const auto x = drawn<T>({z.m, z.n}, 1);
      const auto s = evaluate([&](auto a) { return fg::svd(a, {.full_matrices = full}).s; }, x);
      const auto u = evaluate([&](auto a) { return fg::svd(a, {.full_matrices = full}).u; }, x);
      const auto v = evaluate([&](auto a) { return fg::svd(a, {.full_matrices = full}).v; }, x);
      CHECK(distance(composed(s, u, v), x) <= rounding<T>(z.m + z.n));
      CHECK(distance(product(adjoint(u), u), identity<T>(u.dim(1))) <= rounding<T>(z.m));
      CHECK(distance(product(adjoint(v), v), identity<T>(v.dim(1))) <= rounding<T>(z.n));
      for (std::int64_t i = 1; i < s.dim(0); ++i) CHECK(std::real(s(i)) <= std::real(s(i - 1)));
      CHECK(std::real(s(s.dim(0) - 1)) >= 0);
    }
}

TEST_CASE("small singular values are as precise as large ones allow") {
  const auto s = evaluate([](auto a) { return fg::svd(a).s; }, fg::tensor<double>({3, 2}, {1, 2, 2, 4, 3, 6}));
  CHECK(s(0) == doctest::Approx(std::sqrt(70.)));
  CHECK(s(1) < 1e-14);
  for (const double zero : evaluate([](auto a) { return fg::svd(a).s; }, fg::tensor<double>({4, 4}))) CHECK(zero == 0);
}

TEST_CASE("a zero inside the bidiagonal matrix splits it") {
  const fg::tensor<double> x({4, 4}, {1, 2, 0, 0, 0, 0, 3, 0, 0, 0, 4, 5, 0, 0, 0, 0});
  const auto s = evaluate([](auto a) { return fg::svd(a).s; }, x), u = evaluate([](auto a) { return fg::svd(a).u; }, x),
             v = evaluate([](auto a) { return fg::svd(a).v; }, x);
  CHECK(distance(composed(s, u, v), x) < 1e-13);
  CHECK(s(3) < 1e-14);
}

TEST_CASE("singular values of NaN and infinity are NaN") {
  for (const float bad : {no_number, infinity})
    for (const float e : evaluate([](auto a) { return fg::svd(a).s; }, fg::tensor<float>({2, 2}, {1, bad, 2, 3})))
      CHECK(std::isnan(e));
}
