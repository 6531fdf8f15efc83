#include <flowgraph/ops/linear_algebra/tridiagonal.hpp>

#include "matrices.hpp"

using namespace ops_test;

namespace {

template <class T> fg::tensor<T> row_of(const fg::tensor<T>& d, std::int64_t k) {
  fg::tensor<T> row({1, d.dim(1)});
  for (std::int64_t i = 0; i < d.dim(1); ++i) row.writable()[static_cast<std::size_t>(i)] = d(k, i);
  return row;
}
template <class T> fg::tensor<T> whole(const fg::tensor<T>& d) {
  const std::int64_t n = d.dim(1);
  fg::tensor<T> a({n, n});
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 0; k < 3; ++k)
      if (const std::int64_t j = i + 1 - k; j >= 0 && j < n) a.writable()[static_cast<std::size_t>(i * n + j)] = d(k, i);
  return a;
}
template <class T>
fg::tensor<T> solved(const fg::tensor<T>& d, const fg::tensor<T>& b, fg::tridiagonal_solve_options options = {}) {
  return evaluate([&](auto l, auto r) { return fg::tridiagonal_solve(l, r, options); }, d, b);
}

}  // namespace

TEST_CASE_TEMPLATE("a tridiagonal matrix multiplies and divides", T, float, double, fg::complex64, fg::complex128) {
  for (const std::int64_t n : {1, 2, 3, 50}) {
    CAPTURE(n);
    auto d = drawn<T>({3, n}, 1);
    for (std::int64_t i = 0; i < n; ++i) d.writable()[static_cast<std::size_t>(n + i)] += T(3);
    const auto b = drawn<T>({n, 4}, 2);
    const auto multiplied = evaluate([](auto a, auto m, auto c, auto x) { return fg::tridiagonal_matmul(a, m, c, x); },
                                     row_of(d, 0), row_of(d, 1), row_of(d, 2), b);
    CHECK(distance(multiplied, product(whole(d), b)) <= rounding<T>(n));
    for (const bool pivots : {true, false})
      for (const bool perturbed : {true, false})
        if (pivots || !perturbed) {
          const auto x = solved(d, b, {.partial_pivoting = pivots, .perturb_singular = perturbed});
          CHECK(distance(product(whole(d), x), b) <= rounding<T>(n));
        }
  }
  CHECK(solved(fg::tensor<T>({3, 0}), fg::tensor<T>({0, 2})).shape() == fg::shape{0, 2});
}

TEST_CASE("pivots exchange rows of tridiagonal matrices") {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const auto d = drawn<double>({3, 30}, seed), b = drawn<double>({30, 2}, seed + 100);
    for (const bool perturbed : {true, false})
      CHECK(distance(product(whole(d), solved(d, b, {.perturb_singular = perturbed})), b) < 1e-9);
  }
}

TEST_CASE("a singular tridiagonal matrix gives NaN, or a large finite solution") {
  const fg::tensor<double> d({3, 3}, {1, 1, 0, 1, 2, 1, 0, 1, 1}), b({3, 1}, {1, 1, 1});
  for (const bool pivots : {true, false})
    for (const double e : solved(d, b, {.partial_pivoting = pivots})) CHECK(std::isnan(e));
  CHECK(values(solved(d, b, {.perturb_singular = true})) ==
        std::vector<double>{-4503599627370496., 4503599627370497., -4503599627370496.});
  const fg::tensor<double> zero({3, 2});
  for (const double e : solved(zero, fg::tensor<double>({2, 1}, {1, 1}), {.perturb_singular = true}))
    CHECK(e == 1 / std::numeric_limits<double>::min());
}

TEST_CASE("elements beside a tridiagonal matrix are not read") {
  const fg::tensor<double> d({3, 2}, {1, no_number, 4, 5, no_number, 2}), b({2, 1}, {6, 7});
  CHECK(values(solved(d, b)) == std::vector<double>{23. / 18, 8. / 9});
}

TEST_CASE("tridiagonal equations of unequal sizes are refused") {
  const auto why = [](const fg::shape& a, const fg::shape& b) {
    fg::graph g;
    const auto left = g.placeholder<float>("a", a), right = g.placeholder<float>("b", b);
    return refusal(g, [&] { fg::tridiagonal_solve(left, right); });
  };
  CHECK(says(why({2, 3}, {3, 1}), "expected three diagonals"));
  CHECK(says(why({3, 3}, {2, 1}), "different numbers of rows"));
  CHECK(says(why({3}, {3, 1}), "expected matrices"));
  CHECK(says(why({3, 2}, {4, 2, 1}), "the axes before the matrices differ"));
  fg::graph g;
  const auto d = g.placeholder<float>("d", {1, 3}), wide = g.placeholder<float>("w", {2, 3});
  CHECK(says(refusal(g, [&] { fg::tridiagonal_matmul(wide, d, d, g.placeholder<float>("x", {3, 2})); }), "diagonals of one row"));
  CHECK(says(refusal(g,
                     [&] {
                       fg::tridiagonal_matmul(d, d, d, g.placeholder<float>("y", {4, 2}));
                     }),
             "one element for each row"));
}

TEST_CASE("perturbed solutions require pivots") {
  fg::graph g;
  const auto d = g.constant(fg::tensor<float>({3, 1}, {1, 1, 1})), b = g.constant(fg::tensor<float>({1, 1}, {1}));
  fg::session s{g};
  const auto made = s.try_run(fg::fetch(fg::tridiagonal_solve(d, b, {.partial_pivoting = false, .perturb_singular = true})));
  REQUIRE(!made);
  CHECK(made.error().code() == fg::error_code::invalid_argument);
}

#ifndef FLOWGRAPH_INFERENCE
TEST_CASE("an element outside of the matrix, and an infinite element, change the gradients of no other row") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  fg::graph g;
  const auto above = g.constant(fg::tensor<float>({1, 3}, {1, 2, nan})), main = g.constant(fg::tensor<float>({1, 3}, {3, 4, 5}));
  const auto below = g.constant(fg::tensor<float>({1, 3}, {nan, 6, 7})), x = g.constant(fg::tensor<float>({3, 1}, {1, 2, 3}));
  const fg::out<float> dx = fg::gradients(fg::sum(fg::tridiagonal_matmul(above, main, below, x)), x);
  const auto wide = g.constant(fg::tensor<float>({3, 1}, {std::numeric_limits<float>::infinity(), 2, 3}));
  const fg::out<float> of_above = fg::gradients(fg::sum(fg::tridiagonal_matmul(above, main, below, wide)), above);
  fg::session s{g};
  const auto [a, b] = s.run(fg::fetch(dx, of_above));
  CHECK(std::vector<float>(a.begin(), a.end()) == std::vector<float>{9, 12, 7});
  CHECK(std::vector<float>(b.begin(), b.end()) == std::vector<float>{2, 3, 0});
}
#endif
