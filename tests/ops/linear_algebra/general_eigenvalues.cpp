#include <flowgraph/ops/linear_algebra/general_eigenvalues.hpp>

#include <flowgraph/graph/gradients.hpp>
#include "matrices.hpp"

using namespace ops_test;

namespace {

template <class T> auto as_complex(const fg::tensor<T>& x) {
  fg::tensor<fg::detail::complex_of<T>> y(x.shape());
  std::copy(x.begin(), x.end(), y.writable().begin());
  return y;
}

// The largest element of x v - v diag(e).
template <class T> double eigen_error(const fg::tensor<T>& x) {
  using C = fg::detail::complex_of<T>;
  const auto e = evaluate([](auto a) { return fg::eig(a).values; }, x);
  const auto v = evaluate([](auto a) { return fg::eig(a).vectors; }, x);
  fg::tensor<C> scaled(x.shape());
  for (std::int64_t i = 0; i < x.dim(0); ++i)
    for (std::int64_t j = 0; j < x.dim(0); ++j) scaled.writable()[static_cast<std::size_t>(i * x.dim(0) + j)] = v(i, j) * e(j);
  for (std::int64_t j = 0; j < x.dim(0); ++j) {
    double squares = 0;
    for (std::int64_t i = 0; i < x.dim(0); ++i) squares += static_cast<double>(std::norm(v(i, j)));
    CHECK(squares == doctest::Approx(1).epsilon(1e-5));
  }
  return distance(product(as_complex(x), v), scaled);
}

}  // namespace

TEST_CASE_TEMPLATE("a general matrix stretches its eigenvectors", T, float, double, fg::complex64, fg::complex128) {
  for (const std::int64_t n : {1, 2, 3, 4, 7, 20, 70}) {
    CAPTURE(n);
    CHECK(eigen_error(drawn<T>({n, n}, static_cast<std::uint32_t>(n))) <= rounding<T>(n));
  }
  CHECK(evaluate([](auto a) { return fg::eig(a).values; }, fg::tensor<T>({2, 0, 0})).shape() == fg::shape{2, 0});
}

TEST_CASE("complex eigenvalues of a real matrix are conjugates, and real ones are real") {
  const fg::tensor<double> x({3, 3}, {0, -1, 0, 1, 0, 0, 0, 0, 2});
  const auto e = evaluate([](auto a) { return fg::eig(a).values; }, x);
  CHECK(e(0) == fg::complex128(0, 1));
  CHECK(e(1) == fg::complex128(0, -1));
  CHECK(e(2) == fg::complex128(2));
  const auto v = evaluate([](auto a) { return fg::eig(a).vectors; }, drawn<double>({5, 5}, 3));
  const auto values = evaluate([](auto a) { return fg::eig(a).values; }, drawn<double>({5, 5}, 3));
  for (std::int64_t j = 0; j < 5; ++j)
    for (std::int64_t i = 0; i < 5; ++i)
      if (values(j).imag() == 0) CHECK(v(i, j).imag() == 0);
      else if (values(j).imag() > 0) CHECK(v(i, j + 1) == std::conj(v(i, j)));
}

TEST_CASE("eigenvalues of permutations, of defective matrices, and of any size of numbers") {
  fg::tensor<double> cycle({6, 6});
  for (std::int64_t i = 0; i < 6; ++i) cycle.writable()[static_cast<std::size_t>(i * 6 + (i + 1) % 6)] = 1;
  CHECK(eigen_error(cycle) < 1e-13);
  CHECK(eigen_error(as_complex(cycle)) < 1e-13);
  fg::tensor<double> shift({30, 30});  // one eigenvector, thirty times
  for (std::int64_t i = 0; i < 29; ++i) shift.writable()[static_cast<std::size_t>(i * 30 + i + 1)] = 1;
  CHECK(eigen_error(shift) < 1e-13);
  for (const double scale : {1e-200, 1e200}) {
    const auto e = evaluate([](auto a) { return fg::eig(a).values; },
                            fg::tensor<double>({2, 2}, {2 * scale, 1 * scale, 1 * scale, 3 * scale}));
    CHECK((e(0) + e(1)).real() == doctest::Approx(5 * scale));
    CHECK((e(0) / scale * e(1)).real() == doctest::Approx(5 * scale));
  }
}

TEST_CASE("a matrix with an infinity has no eigenvalues") {
  for (const fg::tensor<double>& x : {fg::tensor<double>({2, 2}, {1, infinity, 0, 2}), fg::tensor<double>({1, 1}, {no_number}),
                                      fg::tensor<double>({3, 3}, {1, 2, 3, no_number, 4, 5, 6, no_number, 7})}) {
    fg::graph g;
    fg::session s{g};
    const auto made = s.try_run(fg::fetch(fg::eig(g.constant(x)).values));
    REQUIRE(!made);
    CHECK(made.error().code() == fg::error_code::invalid_argument);
    CHECK(says(made.error(), "Eigen decomposition was not successful"));
  }
}

TEST_CASE("eigenvalues alone have the gradients of eigenvalues with vectors") {
  fg::graph g;
  const auto x = g.constant(fg::tensor<double>({2, 2}, {1, 2, 3, 5}));
  const auto alone = fg::apply_as<double, fg::complex128>(fg::site{}, fg::eig_op{false}, x);
  const auto expected = fg::gradients(fg::sum(fg::real(fg::square(fg::eig(x).values))), x);
  const auto found = fg::gradients(fg::sum(fg::real(fg::square(std::get<0>(alone)))), x);
  fg::session s{g};
  const auto [a, b] = s.run(fg::fetch(expected, found));
  CHECK(distance(a, b) < 1e-12);
  // The sum of the squares of the eigenvalues is the trace of x x.
  CHECK(distance(a, fg::tensor<double>({2, 2}, {2, 6, 4, 10})) < 1e-12);
}

TEST_CASE("general eigenvalues have the same bits by any number of threads") {
  evaluate_on_threads([](auto a) { return fg::eig(a).values; }, drawn<float>({40, 9, 9}, 8));
}

TEST_CASE("the eigenvalues of a complex matrix are in the order of their absolute values, with their vectors") {
  using complex = fg::complex128;
  fg::graph g;
  const fg::tensor<complex> diagonal({3, 3}, {{0, 3}, {0, 0}, {0, 0}, {0, 0}, {-1, 0}, {0, 0}, {0, 0}, {0, 0}, {2, 0}});
  const auto found = fg::eig(g.constant(diagonal));
  fg::session s{g};
  const auto [values, vectors] = s.run(fg::fetch(found.values, found.vectors));
  CHECK(std::abs(values[0] - complex(-1, 0)) < 1e-12);
  CHECK(std::abs(values[1] - complex(2, 0)) < 1e-12);
  CHECK(std::abs(values[2] - complex(0, 3)) < 1e-12);
  for (int column = 0; column < 3; ++column)
    CHECK(std::abs(vectors[static_cast<std::size_t>(std::array{1, 2, 0}[static_cast<std::size_t>(column)] * 3 + column)]) ==
          doctest::Approx(1));
}
