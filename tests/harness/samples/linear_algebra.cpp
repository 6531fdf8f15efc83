// Samples of solvers and decompositions of matrices.

#include "../samples.hpp"

#include <cmath>

namespace harness {

namespace {

// Matrices whose diagonal exceeds the rest of each row, so that they are far from singular. Symmetric ones are positive definite.
input matrices(const fg::shape& shape, bool symmetric = false) {
  const std::int64_t rows = shape[-2], columns = shape[-1];
  std::vector<double> elements;
  for (std::int64_t i = 0; i < shape.size(); ++i) {
    const std::int64_t c = i % columns, r = i / columns % rows, matrix = i / columns / rows;
    const std::int64_t low = symmetric ? std::min(r, c) : r, high = symmetric ? std::max(r, c) : c;
    const double off = std::sin(static_cast<double>(1 + 7 * low + 3 * high + 5 * matrix)) * 0.6;
    const double diagonal = 1.5 + 0.5 * static_cast<double>(columns) + 0.4 * static_cast<double>(r + matrix);
    elements.push_back(r == c ? diagonal : off);
  }
  return given(shape, elements);
}
input symmetric(const fg::shape& shape) { return matrices(shape, true); }

calls of_square(input (*made)(const fg::shape&)) {
  calls all;
  for (const fg::shape& s : {fg::shape{1, 1}, {3, 3}, {2, 2, 2}, {70, 70}, {2, 3, 33, 33}}) all.emplace_back(made(s));
  for (const fg::shape& s : {fg::shape{0, 0}, {2, 0, 0}, {0, 3, 3}}) all.emplace_back(random(s));
  return all;
}
input general(const fg::shape& shape) { return matrices(shape); }

calls inverses() {
  calls all;
  for (const call& c : of_square(&general))
    for (const bool adjoint : {false, true}) all.push_back(c.with("adjoint", adjoint));
  return all;
}

calls equations() {
  calls all;
  for (const bool adjoint : {false, true}) {
    const auto add = [&](const fg::shape& a, const fg::shape& b) {
      all.push_back(call(a.size() ? matrices(a) : random(a), random(b)).with("adjoint", adjoint));
    };
    add({1, 1}, {1, 2});
    add({3, 3}, {3, 2});
    add({2, 2, 2}, {2, 2, 1});
    add({40, 40}, {40, 60});
    add({0, 0}, {0, 2});
    add({2, 2}, {2, 0});
    add({0, 3, 3}, {0, 3, 2});
  }
  return all;
}

calls triangular_equations(bool broadcasting) {
  calls all;
  for (const bool lower : {true, false})
    for (const bool adjoint : {false, true}) {
      const auto add = [&](const fg::shape& a, const fg::shape& b) {
        all.push_back(call(a.size() ? matrices(a) : random(a), random(b)).with("lower", lower).with("adjoint", adjoint));
      };
      add({3, 3}, {3, 2});
      add({2, 2, 2}, {2, 2, 1});
      add({70, 70}, {70, 40});
      add({0, 0}, {0, 2});
      add({2, 2}, {2, 0});
      if (!broadcasting) continue;
      add({2, 2}, {3, 2, 1});
      add({2, 1, 2, 2}, {3, 2, 2});
    }
  return all;
}

// Uses random matrices: r has another sign if the last column of a complex matrix is real.
calls decomposed_by_qr() {
  calls all;
  for (const fg::shape& s : {fg::shape{1, 1}, {4, 2}, {2, 4}, {2, 3, 2}, {90, 70}}) all.emplace_back(random(s));
  for (const fg::shape& s : {fg::shape{0, 0}, {0, 3}, {3, 0}, {2, 0, 3}, {0, 3, 2}})
    for (const bool full : {false, true})
      if (!full || s[-2] <= s[-1]) all.push_back(call(random(s)).with("full_matrices", full));
  all.push_back(call(random({2, 3})).with("full_matrices", true));
  return all;
}

calls least_squares(bool slow) {
  calls all;
  const auto add = [&](const fg::shape& a, const fg::shape& b, double l2) {
    call c(a.size() ? matrices(a) : random(a), random(b), number(l2));
    all.push_back(slow ? c.with("fast", false) : c);
  };
  add({3, 3}, {3, 2}, 0);
  add({4, 2}, {4, 1}, 0);
  add({4, 2}, {4, 1}, 0.5);
  add({2, 4}, {2, 1}, 0);
  add({2, 3, 2}, {2, 3, 2}, 0.25);
  add({60, 40}, {60, 20}, 0);
  add({0, 2}, {0, 3}, 0);
  add({2, 0}, {2, 3}, 0);
  add({0, 2, 2}, {0, 2, 3}, 0);
  return all;
}

calls crossed() {
  calls all;
  for (const fg::shape& s : {fg::shape{3}, {2, 3}, {2, 1, 3}, {0, 3}, {20000, 3}}) all.emplace_back(random(s), random(s));
  return all;
}

calls cholesky_gradients() {
  calls all;
  for (const call& c : of_square(&general)) all.emplace_back(c.inputs[0], random(c.inputs[0].shape));
  return all;
}

calls eigenvalues(bool with_vectors) {
  calls all;
  for (const fg::shape& s : {fg::shape{1, 1}, {3, 3}, {2, 2, 2}, {40, 40}, {2, 33, 33}}) all.emplace_back(symmetric(s));
  for (const fg::shape& s : {fg::shape{0, 0}, {2, 0, 0}, {0, 3, 3}}) all.emplace_back(random(s));
  if (with_vectors) all.push_back(call(symmetric({3, 3})).with("compute_v", false));
  return all;
}

calls singular_values() {
  calls all;
  // The values are far from equal, so that the signs of vectors do not depend on small changes.
  all.emplace_back(given({3, 3}, {6.3, 0.4, 0.26, 0, 3.7, -0.4, -0.33, -0.1, 2.2}));
  for (const fg::shape& s : {fg::shape{1, 1}, {4, 2}, {2, 4}, {2, 3, 2}, {40, 30}, {2, 20, 33}}) all.emplace_back(matrices(s));
  for (const fg::shape& s : {fg::shape{0, 0}, {0, 3}, {3, 0}, {2, 0, 3}, {0, 3, 2}}) all.emplace_back(random(s));
  all.push_back(call(matrices({2, 3})).with("full_matrices", true));
  all.push_back(call(matrices({3, 2})).with("compute_uv", false));
  return all;
}

// Symmetric matrices: small changes leave their eigenvalues real.
calls general_eigenvalues() {
  calls all;
  for (const fg::shape& s : {fg::shape{1, 1}, {3, 3}, {2, 2, 2}, {20, 20}}) all.emplace_back(symmetric(s));
  for (const fg::shape& s : {fg::shape{0, 0}, {2, 0, 0}, {0, 3, 3}}) all.emplace_back(random(s));
  all.push_back(call(symmetric({3, 3})).with("compute_v", false));
  return all;
}

calls matrix_functions() {
  calls all;
  for (const fg::shape& s : {fg::shape{1, 1}, {3, 3}, {2, 2, 2}, {20, 20}, {2, 3, 9, 9}}) all.emplace_back(matrices(s));
  for (const fg::shape& s : {fg::shape{0, 0}, {2, 0, 0}, {0, 3, 3}}) all.emplace_back(random(s));
  return all;
}

calls square_roots() {
  calls all;
  for (const fg::shape& s : {fg::shape{1, 1}, {3, 3}, {2, 2, 2}, {2, 5, 5}}) all.emplace_back(symmetric(s));
  for (const fg::shape& s : {fg::shape{0, 0}, {0, 3, 3}}) all.emplace_back(random(s));
  return all;
}

calls tridiagonal_products() {
  calls all;
  for (const fg::shape& s : {fg::shape{1, 2}, {3, 2}, {2, 4, 3}, {700, 30}, {0, 2}, {3, 0}, {0, 3, 2}}) {
    fg::shape diagonal = s;
    diagonal[-2] = 1;
    diagonal[-1] = s[-2];
    all.emplace_back(random(diagonal), random(diagonal), random(diagonal), random(s));
  }
  return all;
}

// Diagonals whose middle row dominates.
input dominant(const fg::shape& shape, std::int64_t main) {
  std::vector<double> elements;
  const std::int64_t columns = shape[-1], rows = shape[-2];
  for (std::int64_t i = 0; i < shape.size(); ++i)
    elements.push_back((i / columns % rows == main ? 2 : 0) + 0.6 * std::sin(static_cast<double>(3 * i + 1)));
  return given(shape, elements);
}

calls tridiagonal_equations() {
  calls all;
  for (const bool pivots : {true, false})
    for (const fg::shape& s : {fg::shape{1, 2}, {3, 2}, {2, 4, 3}, {60, 5}, {0, 2}, {3, 0}, {0, 3, 2}}) {
      fg::shape diagonals = s;
      diagonals[-2] = 3;
      diagonals[-1] = s[-2];
      all.push_back(
          call(diagonals.size() ? dominant(diagonals, 1) : random(diagonals), random(s)).with("partial_pivoting", pivots));
    }
  all.push_back(call(dominant({3, 4}, 1), random({4, 2})).with("perturb_singular", true));
  return all;
}

calls banded_equations() {
  calls all;
  for (const bool lower : {true, false})
    for (const bool adjoint : {false, true}) {
      const auto add = [&](const fg::shape& a, const fg::shape& b) {
        all.push_back(call(dominant(a, lower ? 0 : a[-2] - 1), random(b)).with("lower", lower).with("adjoint", adjoint));
      };
      add({1, 3}, {3, 2});
      add({2, 3}, {3, 2});
      add({3, 60}, {60, 5});
      add({2, 2, 3}, {2, 3, 1});
      add({2, 1, 2, 3}, {3, 3, 2});
    }
  return all;
}

}  // namespace

std::vector<sample> linear_algebra_samples() {
  const exception of_symmetric = no_gradient("its gradient is that for symmetric matrices, as in TensorFlow");
  const exception shapes = needs_shapes("its form depends on the shape, as in TensorFlow");
  const exception any_phase = real_gradient("complex vectors have any phase, which differences show");
  return {
      {"Cholesky", of_square(&symmetric), {}, {of_symmetric}},
      {"BatchCholesky", of_square(&symmetric)},
      {"CholeskyGrad", cholesky_gradients()},
      {"BatchCholeskyGrad", cholesky_gradients()},
      {"MatrixSolve", equations()},
      {"BatchMatrixSolve", equations()},
      {"MatrixTriangularSolve", triangular_equations(true)},
      {"BatchMatrixTriangularSolve", triangular_equations(false)},
      {"MatrixInverse", inverses()},
      {"BatchMatrixInverse", inverses()},
      {"MatrixDeterminant", of_square(&general)},
      {"BatchMatrixDeterminant", of_square(&general)},
      {"LogMatrixDeterminant", of_square(&general)},
      {"Lu", of_square(&general)},
      {"Qr", decomposed_by_qr(), {between(0.3, 3)}, {shapes}},
      {"MatrixSolveLs", least_squares(false), {}, {shapes, constant_input(2, "its gradient is missing, as in TensorFlow")}},
      {"BatchMatrixSolveLs", least_squares(true)},
      {"SelfAdjointEigV2", eigenvalues(true), {}, {any_phase}},
      {"BatchSelfAdjointEigV2", eigenvalues(true)},
      {"SelfAdjointEig", eigenvalues(false)},
      {"BatchSelfAdjointEig", eigenvalues(false)},
      {"Svd", singular_values(), {}, {any_phase, shapes}},
      {"BatchSvd", singular_values()},
      {"Cross", crossed()},
      {"Eig", general_eigenvalues(), {}, {any_phase}},
      {"MatrixExponential", matrix_functions()},
      {"MatrixLogarithm", matrix_functions()},
      {"MatrixSquareRoot", square_roots()},
      {"TridiagonalMatMul", tridiagonal_products()},
      {"TridiagonalSolve", tridiagonal_equations()},
      {"BandedTriangularSolve", banded_equations()},
  };
}

}  // namespace harness
