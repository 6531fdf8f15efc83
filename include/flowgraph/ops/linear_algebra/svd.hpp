#pragma once
// The singular value decomposition.
//
//   const auto [s, u, v] = fg::svd(x);  // x = u diag(s) v^T; the values descend

#include <flowgraph/ops/linear_algebra/eigenvalues.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

std::array<shape, 3> svd_shape(shape_context& c, const shape& x, bool with_vectors, bool full);
std::size_t svd_scratch(const shape& x, bool full);

struct svd_form {
  bool compute_uv = true, full_matrices = false;
  std::array<flowgraph::shape, 3> shape(shape_context& c, const flowgraph::shape& x) const {
    return svd_shape(c, x, compute_uv, full_matrices);
  }
  std::size_t scratch(const flowgraph::shape& x) const { return svd_scratch(x, full_matrices); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> s, view<T> u, view<T> v) const;
};

template <class T>
out<T> svd_gradient(const out<T>& x, const svd_form& how, std::array<out<T>, 3> suv, std::array<out<T>, 3> gradients);

}  // namespace detail

// Decomposes each matrix x into u diag(s) v^H: the singular values s in descending order, and the singular vectors as columns of u
// and v. u and v are square with `full_matrices`; without `compute_uv` they are empty. If a matrix contains a NaN or an infinity,
// its results are NaN.
struct svd_op : detail::svd_form {
  static constexpr std::string_view name = "Svd";
  using types = type_list<float, double, complex64, complex128>;
  static constexpr auto attrs =
      flowgraph::attrs(attr("compute_uv", &svd_op::compute_uv), attr("full_matrices", &svd_op::full_matrices));
  template <class T> out<T> gradient(out<T> x, out<T> s, out<T> u, out<T> v, out<T> ds, out<T> du, out<T> dv) const {
    return detail::svd_gradient<T>(x, *this, {s, u, v}, {ds, du, dv});
  }
};
// The older name of Svd.
struct batch_svd_op : detail::svd_form {
  static constexpr std::string_view name = "BatchSvd";
  static constexpr op_facts facts{.not_differentiable = true};
  using types = type_list<float, double, complex64, complex128>;
  static constexpr auto attrs =
      flowgraph::attrs(attr("compute_uv", &batch_svd_op::compute_uv), attr("full_matrices", &batch_svd_op::full_matrices));
};

// Options of svd.
struct svd_options {
  bool full_matrices = false;  // true: u and v are square
};
// The results of `svd`.
template <class T> struct singular_value_decomposition {
  out<T> s;  // the singular values of each matrix, in descending order
  out<T> u;  // column i is the left singular vector of value i
  out<T> v;  // column i is the right singular vector of value i
};
template <class T> singular_value_decomposition<T> svd(const out<T>& x, const svd_options& options, site s = {}) {
  const auto [values, u, v] = apply(svd_op{{true, options.full_matrices}}, x, s);
  return {values, u, v};
}
template <class T> singular_value_decomposition<T> svd(const out<T>& x, site s = {}) { return svd(x, svd_options{}, s); }

using svd_ops = type_list<svd_op, batch_svd_op>;

}  // namespace flowgraph

#include <flowgraph/ops/linear_algebra/detail/svd_gradient.hpp>

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/linear_algebra/detail/svd.hpp>
#endif
