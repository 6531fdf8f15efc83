#pragma once
// The QR decomposition.
//
//   const auto [q, r] = fg::qr(x);                           // x = q r; q has min(m, n) columns
//   const auto [u, v] = fg::qr(x, {.full_matrices = true});  // u is square

#include <flowgraph/ops/linear_algebra/solve.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

std::size_t qr_scratch(const shape& x, bool full);

template <class T>
out<T> qr_gradient(const out<T>& x, const out<T>& q, const out<T>& r, const out<T>& dq, const out<T>& dr, bool full);

}  // namespace detail

// Decomposes each matrix x into q r, where the columns of q are orthonormal and r is upper triangular. q is square with
// `full_matrices`; otherwise it has as many columns as the smaller side of x.
struct qr_op {
  static constexpr std::string_view name = "Qr";
  using types = type_list<half, float, double, complex64, complex128>;
  bool full_matrices = false;
  static constexpr auto attrs = flowgraph::attrs(attr("full_matrices", &qr_op::full_matrices));

  std::array<flowgraph::shape, 2> shape(shape_context& c, const flowgraph::shape& x) const {
    return detail::qr_shape(c, x, full_matrices);
  }
  std::size_t scratch(const flowgraph::shape& x) const { return detail::qr_scratch(x, full_matrices); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> q, view<T> r) const;
  template <class T> out<T> gradient(out<T> x, out<T> q, out<T> r, out<T> dq, out<T> dr) const {
    return detail::qr_gradient(x, q, r, dq, dr, full_matrices);
  }
};

// Options of qr.
struct qr_options {
  bool full_matrices = false;  // true: q is square, and r has the shape of x
};
// The results of `qr`.
template <class T> struct qr_decomposition {
  out<T> q;  // orthonormal columns
  out<T> r;  // upper triangular
};
template <class T> qr_decomposition<T> qr(const out<T>& x, const qr_options& options, site s = {}) {
  const auto [q, r] = apply(qr_op{options.full_matrices}, x, s);
  return {q, r};
}
template <class T> qr_decomposition<T> qr(const out<T>& x, site s = {}) { return qr(x, qr_options{}, s); }

using qr_ops = type_list<qr_op>;

}  // namespace flowgraph

#include <flowgraph/ops/linear_algebra/detail/qr_gradient.hpp>

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/linear_algebra/detail/qr.hpp>
#endif
