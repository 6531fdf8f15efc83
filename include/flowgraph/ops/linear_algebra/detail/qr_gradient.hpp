#pragma once
// The gradient of Qr (arXiv:2009.10071). A wide matrix is (x, y) with a square x: r = (u, v), where x = q u and y = q v.

#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/array/strided_slice.hpp>
#include <flowgraph/ops/linear_algebra/qr.hpp>
#include <flowgraph/ops/math/complex.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns x u^-H.
template <class T> out<T> times_inverse_adjoint(const out<T>& x, const out<T>& u) {
  return adjoint_of(triangular_solve(u, adjoint_of(x), {.lower = false}));
}

// Returns the gradient of a matrix with at least as many rows as columns.
template <class T> out<T> tall_qr_gradient(const out<T>& q, const out<T>& u, const out<T>& dq, const out<T>& du) {
  const out<T> qdq = adjoint_product(q, dq), rdr = product_adjoint(u, du);
  const out<T> lower = matrix_band_part((qdq - adjoint_of(qdq)) + (rdr - adjoint_of(rdr)), -1, 0);
  out<T> output = product_of(q, du + times_inverse_adjoint(lower, u)) + times_inverse_adjoint(dq - product_of(q, qdq), u);
  if constexpr (in_list<T, complex_numbers>) {
    // The diagonal of r is real, so q has no freedom of phase.
    const out<T> diagonal = matrix_diag_part(rdr - adjoint_of(qdq));
    const out<T> phase = matrix_diag(diagonal - cast<T>(real(diagonal)));
    output = output + times_inverse_adjoint(product_of(q, adjoint_of(phase)), u);
  }
  return output;
}

// Returns the gradient for matrices whose shape the graph knows.
template <class T>
out<T> known_qr_gradient(const out<T>& x, const out<T>& q, const out<T>& r, const out<T>& dq, const out<T>& dr, bool full) {
  const shape known = x.shape();
  if (known.rank < 2 || known[-1] < 0 || known[-2] < 0)
    return refused_gradient(x, "Qr", "the graph does not know the shape of the input");
  const std::int64_t m = known[-2], n = known[-1];
  if (m >= n && (m == n || !full)) return tall_qr_gradient(q, r, dq, dr);
  if (m > n) return refused_gradient(x, "Qr", "full_matrices is set and a matrix has more rows than columns");
  const auto k = static_cast<std::int32_t>(m);
  const auto left = [&](const out<T>& a) { return strided_slice(a, {slice_spec::ellipsis(), slice_spec::to(k)}); };
  const auto right = [&](const out<T>& a) { return strided_slice(a, {slice_spec::ellipsis(), slice_spec::from(k)}); };
  const out<T> dv = right(dr);
  const out<T> dx = tall_qr_gradient(q, left(r), dq + product_adjoint(right(x), dv), left(dr));
  return concat({dx, product_of(q, dv)}, -1);
}

template <class T>
out<T> qr_gradient(const out<T>& x, const out<T>& q, const out<T>& r, const out<T>& dq, const out<T>& dr, bool full) {
  if constexpr (std::is_same_v<T, half>) {  // the solvers of the formula have no kernels for halves
    const auto wide = [](const out<T>& a) { return cast<float>(a); };
    return cast<T>(known_qr_gradient(wide(x), wide(q), wide(r), wide(dq), wide(dr), full));
  } else {
    return known_qr_gradient(x, q, r, dq, dr, full);
  }
}

}  // namespace flowgraph::detail
