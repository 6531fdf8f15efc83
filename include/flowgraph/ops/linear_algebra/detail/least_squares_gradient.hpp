#pragma once
// The gradients of least squares, through the normal equations: (a^H a + l2) x = a^H b, or x = a^H (a a^H + l2)^-1 b.

#include <flowgraph/ops/linear_algebra/least_squares.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

template <class T> out<T> regularized(const out<T>& gram, const out<double>& l2) {
  return matrix_set_diag(gram, matrix_diag_part(gram) + cast<T>(l2));
}

template <class T>
gradients_of<T, 3> overdetermined_gradients(const out<T>& a, const out<T>& b, const out<double>& l2, const out<T>& x,
                                            const out<T>& dx) {
  const out<T> z = cholesky_solve(cholesky(regularized(adjoint_product(a, a), l2)), dx);
  const out<T> xz = product_adjoint(x, z);
  return {{product_adjoint(b, z) - product_of(a, xz + adjoint_of(xz)), product_of(a, z), none}};
}

template <class T>
gradients_of<T, 3> underdetermined_gradients(const out<T>& a, const out<T>& b, const out<double>& l2, const out<T>& dx) {
  const out<T> l = cholesky(regularized(product_adjoint(a, a), l2));
  const out<T> db = cholesky_solve(l, product_of(a, dx)), z = cholesky_solve(l, b);
  const out<T> through_x = product_of(db, adjoint_product(z, a));
  return {{product_adjoint(z, dx - adjoint_product(a, db)) - through_x, db, none}};
}

template <class T>
gradients_of<T, 3> least_squares_gradients(const out<T>& a, const out<T>& b, const out<double>& l2, const out<T>& x,
                                           const out<T>& dx) {
  const shape known = a.shape();
  if (known.rank < 2 || known[-1] < 0 || known[-2] < 0)
    return {{refused_gradient(a, "MatrixSolveLs", "the graph does not know the shape of the matrices"), none, none}};
  if (known[-2] >= known[-1]) return overdetermined_gradients(a, b, l2, x, dx);
  return underdetermined_gradients(a, b, l2, dx);
}

}  // namespace flowgraph::detail
