#include <flowgraph/ops/linear_algebra/banded_solve.hpp>

#include "matrices.hpp"

using namespace ops_test;

TEST_CASE_TEMPLATE("a banded solution satisfies its equations", T, float, double, fg::complex64, fg::complex128) {
  for (const std::int64_t n : {1, 3, 40})
    for (const std::int64_t count : {1, 2, 5})
      for (const bool lower : {true, false})
        for (const bool adjoined : {true, false}) {
          CAPTURE(n);
          CAPTURE(count);
          auto bands = drawn<T>({count, n}, 1);
          fg::tensor<T> a({n, n});
          for (std::int64_t k = 0; k < count; ++k)
            for (std::int64_t i = 0; i < n; ++i) {
              const std::int64_t row = lower ? k : count - 1 - k, j = lower ? i - k : i + k;
              T& e = bands.writable()[static_cast<std::size_t>(row * n + i)];
              if (k == 0) e += T(4);
              if (j < 0 || j >= n) e = T(static_cast<real_of<T>>(no_number));
              else a.writable()[static_cast<std::size_t>(i * n + j)] = e;
            }
          const auto b = drawn<T>({n, 2}, 2);
          const auto x = evaluate(
              [&](auto l, auto r) { return fg::banded_triangular_solve(l, r, {.lower = lower, .adjoint = adjoined}); }, bands, b);
          CHECK(distance(product(adjoined ? adjoint(a) : a, x), b) <= rounding<T>(n));
        }
}

TEST_CASE("a banded solve broadcasts, and refuses a main diagonal with a zero and empty tensors") {
  const fg::tensor<float> a({2, 1, 1, 1}, {2, 4}), b({3, 1, 1}, {8, 16, 24});
  const auto solve = [](auto l, auto r) { return fg::banded_triangular_solve(l, r); };
  CHECK(values(evaluate(solve, a, b)) == std::vector<float>{4, 8, 12, 2, 4, 6});
  fg::graph g;
  fg::session s{g};
  const auto made =
      s.try_run(fg::fetch(solve(g.constant(fg::tensor<float>({1, 2}, {1, 0})), g.constant(fg::tensor<float>({2, 1})))));
  REQUIRE(!made);
  CHECK(made.error().code() == fg::error_code::invalid_argument);
  CHECK(says(made.error(), "Input matrix is not invertible."));
  fg::graph other;
  CHECK(says(refusal(other,
                     [&] {
                       solve(other.constant(fg::tensor<float>({0, 2})), other.constant(fg::tensor<float>({2, 1})));
                     }),
             "not empty"));
}
