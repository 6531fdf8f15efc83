#include <flowgraph/ops/linear_algebra/solve.hpp>

#include "matrices.hpp"

using namespace ops_test;

TEST_CASE_TEMPLATE("a solution satisfies its equations", T, float, double, fg::complex64, fg::complex128) {
  for (const std::int64_t n : {1, 2, 15, 16, 17, 33, 100}) {
    CAPTURE(n);
    const auto a = positive<T>(n, 1), b = drawn<T>({n, 7}, 2);
    const auto x = evaluate([](auto l, auto r) { return fg::solve(l, r); }, a, b);
    CHECK(distance(product(a, x), b) <= rounding<T>(n) * static_cast<double>(n));
    const auto y = evaluate([](auto l, auto r) { return fg::solve(l, r, {.adjoint = true}); }, a, b);
    CHECK(distance(product(adjoint(a), y), b) <= rounding<T>(n) * static_cast<double>(n));
  }
}

TEST_CASE("a solution needs pivots where the diagonal is 0") {
  const fg::tensor<double> a({2, 2}, {0, 2, 1, 3}), b({2, 1}, {4, 7});
  CHECK(values(evaluate([](auto l, auto r) { return fg::solve(l, r); }, a, b)) == std::vector<double>{1, 2});
}

TEST_CASE_TEMPLATE("a triangular solve reads one triangle", T, float, double, fg::complex64) {
  for (const std::int64_t n : {1, 3, 16, 17, 50})
    for (const bool lower : {true, false})
      for (const bool adjoined : {true, false}) {
        CAPTURE(n);
        fg::tensor<T> whole = drawn<T>({n, n}, 3), triangle({n, n});
        for (std::int64_t i = 0; i < n; ++i)
          for (std::int64_t j = 0; j < n; ++j) {
            T& e = whole.writable()[static_cast<std::size_t>(i * n + j)];
            e = i == j ? T(2) + e : e / static_cast<real_of<T>>(n);
            if (lower ? j <= i : j >= i) triangle.writable()[static_cast<std::size_t>(i * n + j)] = e;
          }
        const auto b = drawn<T>({n, 4}, 5);
        const auto x =
            evaluate([&](auto a, auto r) { return fg::triangular_solve(a, r, {.lower = lower, .adjoint = adjoined}); }, whole, b);
        CHECK(distance(product(adjoined ? adjoint(triangle) : triangle, x), b) <= rounding<T>(n));
      }
}

TEST_CASE("a triangular solve broadcasts the axes before the matrices") {
  const fg::tensor<float> a({2, 1, 1}, {2, 4}), b({3, 1, 1, 1}, {8, 16, 24});
  const auto x = evaluate([](auto l, auto r) { return fg::triangular_solve(l, r); }, a, b);
  CHECK(x.shape() == fg::shape{3, 2, 1, 1});
  CHECK(values(x) == std::vector<float>{4, 2, 8, 4, 12, 6});
}

TEST_CASE("a zero on the diagonal of a triangle gives infinities, and no error") {
  const fg::tensor<float> a({2, 2}, {1, 0, 2, 0}), b({2, 1}, {1, 3});
  CHECK(values(evaluate([](auto l, auto r) { return fg::triangular_solve(l, r); }, a, b)) == std::vector<float>{1, infinity});
}

TEST_CASE("equations of a singular matrix end in an error") {
  fg::graph g;
  const auto a = g.constant(fg::tensor<double>({2, 2, 2}, {1, 0, 0, 1, 1, 2, 2, 4}));
  const auto b = g.constant(fg::tensor<double>({2, 2, 1}, {1, 2, 3, 4}));
  fg::session s{g};
  const auto made = s.try_run(fg::fetch(fg::solve(a, b)));
  REQUIRE(!made);
  CHECK(made.error().code() == fg::error_code::invalid_argument);
  CHECK(says(made.error(), "Input matrix is not invertible."));
}

TEST_CASE("solutions have the same bits by any number of threads") {
  const auto f = [](auto a, auto b) { return fg::solve(a, b); };
  const auto a = positive<float>(200, 7), b = drawn<float>({200, 120}, 8);
  const auto x = evaluate_on_threads(f, a, b);
  CHECK(distance(product(a, x), b) <= 0.05);
  fg::tensor<float> many({40, 9, 9});
  for (std::int64_t i = 0; i < 40; ++i) {
    const auto one = positive<float>(9, static_cast<std::uint32_t>(i));
    std::copy(one.begin(), one.end(), many.writable().begin() + i * 81);
  }
  evaluate_on_threads(f, many, drawn<float>({40, 9, 2}, 8));
}

TEST_CASE("equations of unequal sizes are refused") {
  const auto why = [](const fg::shape& a, const fg::shape& b) {
    fg::graph g;
    const auto left = g.placeholder<float>("a", a), right = g.placeholder<float>("b", b);
    return refusal(g, [&] { fg::solve(left, right); });
  };
  CHECK(says(why({2, 3}, {3, 1}), "expected square matrices"));
  CHECK(says(why({2}, {2, 1}), "expected matrices"));
  CHECK(says(why({2, 2}, {3, 1}), "different numbers of rows"));
  CHECK(says(why({2, 2}, {4, 2, 1}), "the axes before the matrices differ"));
  fg::graph g;
  const auto a = g.placeholder<float>("a", {3, 2, 2}), b = g.placeholder<float>("b", {2, 2, 1});
  CHECK(says(refusal(g, [&] { fg::triangular_solve(a, b); }), "do not broadcast"));
}
