#pragma once
// The gradient of Svd (arXiv:1509.07838), for distinct singular values.

#include <flowgraph/ops/array/strided_slice.hpp>
#include <flowgraph/ops/linear_algebra/svd.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

template <class T> out<T> first_columns(const out<T>& x, std::int64_t n) {
  return strided_slice(x, {slice_spec::ellipsis(), slice_spec::to(static_cast<std::int32_t>(n))});
}

// Returns the part that stems from the components of dv (and of u, if it is square) outside of the columns of v.
template <class T>
out<T> outer_svd_gradient(const out<T>& u, const out<T>& inverse_s, const out<T>& v, const out<T>& dv, std::int64_t m,
                          bool full) {
  const out<T> v1 = first_columns(v, m), dv1 = first_columns(dv, m);
  out<T> outside = adjoint_of(dv1) - product_adjoint(adjoint_product(dv1, v1), v1);
  if (full) {
    const auto behind = [&](const out<T>& x) {
      return strided_slice(x, {slice_spec::ellipsis(), slice_spec::from(static_cast<std::int32_t>(m))});
    };
    outside = outside - product_adjoint(adjoint_product(v1, behind(dv)), behind(v));
  }
  return product_of(product_of(u, inverse_s), outside);
}

// Returns the gradient for matrices with m rows and at least as many columns.
template <class T>
out<T> wide_svd_gradient(const std::array<out<T>, 3>& suv, const std::array<out<T>, 3>& d, std::int64_t m, std::int64_t n,
                         bool full) {
  const auto& [s, u, v] = suv;
  const out<T> s_matrix = matrix_diag(s), v1 = first_columns(v, m), gaps = reciprocal_gaps(s * s);
  const out<T> inverse_s = matrix_diag(s / (s * s + scalar_beside(s, T(1e-20f))));
  const out<T> of_u = gaps * adjoint_product(u, d[1]), v_dv = adjoint_product(v1, first_columns(d[2], m)), of_v = gaps * v_dv;
  const out<T> inner =
      matrix_diag(d[0]) + product_of(of_u + adjoint_of(of_u), s_matrix) + product_of(s_matrix, of_v + adjoint_of(of_v));
  out<T> output = product_of(u, product_adjoint(inner, v1));
  if (m != n) output = output + outer_svd_gradient(u, inverse_s, v, d[2], m, full);
  if constexpr (in_list<T, complex_numbers>) {
    const out<T> phase = matrix_diag(matrix_diag_part(v_dv));
    const out<T> turned = product_of(inverse_s, adjoint_of(phase) - phase);
    output = output + product_of(u, product_adjoint(turned, v1)) * scalar_beside(s, T(0.5f));
  }
  return output;
}

template <class T> out<T> svd_gradient(const out<T>& x, const svd_form& how, std::array<out<T>, 3> suv, std::array<out<T>, 3> d) {
  if (!how.compute_uv) {
    const auto [s, u, v] = svd(x);
    return product_of(u, product_adjoint(matrix_diag(d[0]), v));
  }
  const shape known = x.shape();
  if (known.rank < 2 || known[-1] < 0 || known[-2] < 0)
    return refused_gradient(x, "Svd", "the graph does not know the shape of the matrices");
  const std::int64_t m = known[-2], n = known[-1];
  if (how.full_matrices && (m - n > 1 || n - m > 1))
    return refused_gradient(x, "Svd", "full_matrices is set and the numbers of rows and columns differ by more than 1");
  if (m <= n) return wide_svd_gradient(suv, d, m, n, how.full_matrices);
  std::swap(suv[1], suv[2]);
  std::swap(d[1], d[2]);
  return adjoint_of(wide_svd_gradient(suv, d, n, m, how.full_matrices));
}

}  // namespace flowgraph::detail
