// Decompositions of matrices and systems of equations. The peer computes the same with bench/peers/tensorflow_ops.py.

#include "op_step.hpp"
#include "values.hpp"

#include <flowgraph/ops/linear_algebra/cholesky.hpp>
#include <flowgraph/ops/linear_algebra/inverse.hpp>
#include <flowgraph/ops/linear_algebra/qr.hpp>
#include <flowgraph/ops/linear_algebra/solve.hpp>
#include <flowgraph/ops/linear_algebra/svd.hpp>

namespace bench {

namespace {

// "op_lu_32x64": 32 matrices of 64 x 64; "op_solve_512_double": one matrix, of doubles.
fg::shape matrices_of(std::string_view work) {
  if (work.find("_32x64") != work.npos) return {32, 64, 64};
  for (const std::int64_t n : {64, 256, 512})
    if (work.find(std::string("_").append(std::to_string(n))) != work.npos) return {n, n};
  return {};
}

// Noise with a weight on one of the diagonals, so that no problem is ill-conditioned.
enum class diagonal { none, main, other };
template <class T> fg::tensor<T> matrices(const fg::shape& s, diagonal weighted) {
  const auto n = static_cast<std::size_t>(s[-1]);
  const fg::tensor<float> noise = fill(700, s, 1 / std::sqrt(static_cast<double>(n)));
  fg::tensor<T> made(s);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::size_t row = i / n % n, column = i % n;
    T weight = 0;
    if (weighted == diagonal::main && row == column) weight = 2;
    if (weighted == diagonal::other && row + column + 1 == n) weight = 1;
    made.writable()[i] = static_cast<T>(noise.data()[i]) + weight;
  }
  return made;
}

template <class T, class F> void on_matrices(const options& o, std::string_view name, diagonal weighted, F f) {
  const fg::shape s = matrices_of(name);
  fg::graph g;
  const auto x = g.placeholder<T>("x", s);
  time_op(o, name, g, f(x), std::tuple{x}, matrices<T>(s, weighted));
}
template <class T, class F>
void on_equations(const options& o, std::string_view name, diagonal weighted, std::int64_t columns, F f) {
  const fg::shape s = matrices_of(name);
  fg::shape right = s;
  if (columns > 0) right[-1] = columns;
  const fg::tensor<float> drawn = fill(701, right);
  fg::tensor<T> b(right);
  for (std::size_t i = 0; i < b.size(); ++i) b.writable()[i] = static_cast<T>(drawn.data()[i]);
  fg::graph g;
  const auto x = g.placeholder<T>("x", s), y = g.placeholder<T>("b", right);
  time_op(o, name, g, f(x, y), std::tuple{x, y}, matrices<T>(s, weighted), b);
}

template <class T> void lu(const options& o, std::string_view name) {
  on_matrices<T>(o, name, diagonal::other, [](fg::out<T> x) {
    const auto made = fg::lu(x);
    return std::tuple{made.lu, made.rows};
  });
}
template <class T> void inverse(const options& o, std::string_view name) {
  on_matrices<T>(o, name, diagonal::other, [](fg::out<T> x) { return fg::inverse(x); });
}
template <class T> void determinant(const options& o, std::string_view name) {
  on_matrices<T>(o, name, diagonal::other, [](fg::out<T> x) { return fg::det(x); });
}
template <class T> void cholesky(const options& o, std::string_view name) {
  on_matrices<T>(o, name, diagonal::main, [](fg::out<T> x) { return fg::cholesky(x); });
}
template <class T> void qr(const options& o, std::string_view name) {
  on_matrices<T>(o, name, diagonal::none, [](fg::out<T> x) {
    const auto made = fg::qr(x);
    return std::tuple{made.r, made.q};
  });
}
template <class T> void svd(const options& o, std::string_view name) {
  on_matrices<T>(o, name, diagonal::none, [](fg::out<T> x) {
    const auto made = fg::svd(x);
    return std::tuple{made.s, made.u, made.v};
  });
}
template <class T> void eigh(const options& o, std::string_view name) {
  on_matrices<T>(o, name, diagonal::none, [](fg::out<T> x) {
    const auto made = fg::eigh(x);
    return std::tuple{made.values, made.vectors};
  });
}
template <class T, std::int64_t Columns> void solve(const options& o, std::string_view name) {
  on_equations<T>(o, name, diagonal::other, Columns, [](fg::out<T> a, fg::out<T> b) { return fg::solve(a, b); });
}
template <class T> void triangular_solve(const options& o, std::string_view name) {
  on_equations<T>(o, name, diagonal::main, 0, [](fg::out<T> a, fg::out<T> b) { return fg::triangular_solve(a, b); });
}

template <class T> void solve_square(const options& o, std::string_view name) { solve<T, 0>(o, name); }
template <class T> void solve_column(const options& o, std::string_view name) { solve<T, 1>(o, name); }

#define OVER_MATRICES(name, end, run) \
  {name "_64" end, run}, {name "_256" end, run}, {name "_512" end, run}, { name "_32x64" end, run }
#define OF_BOTH_TYPES(name, run) OVER_MATRICES(name, "", run<float>), OVER_MATRICES(name, "_double", run<double>)
constexpr work works[] = {
    OF_BOTH_TYPES("op_lu", lu),
    OF_BOTH_TYPES("op_solve", solve_square),
    OF_BOTH_TYPES("op_solve_column", solve_column),
    OF_BOTH_TYPES("op_triangular_solve", triangular_solve),
    OF_BOTH_TYPES("op_inverse", inverse),
    OF_BOTH_TYPES("op_determinant", determinant),
    OF_BOTH_TYPES("op_cholesky", cholesky),
    OF_BOTH_TYPES("op_qr", qr),
    OF_BOTH_TYPES("op_svd", svd),
    OF_BOTH_TYPES("op_eigh", eigh),
};
#undef OF_BOTH_TYPES
#undef OVER_MATRICES

}  // namespace

std::span<const work> matrix_works() { return works; }

}  // namespace bench
