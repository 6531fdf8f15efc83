#pragma once
// Eigenvalues and eigenvectors of symmetric and Hermitian matrices.
//
//   const auto [values, vectors] = fg::eigh(x);  // x v = e v for each column v of `vectors`; the values ascend

#include <flowgraph/ops/linear_algebra/detail/matrix_gradients.hpp>
#include <flowgraph/ops/linear_algebra/detail/matrix_shapes.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

std::array<shape, 2> eigen_shape(shape_context& c, const shape& x, bool with_vectors);
shape joined_eigen_shape(shape_context& c, const shape& x);
std::size_t eigen_scratch(const shape& x);

struct self_adjoint_eig_v2_form {
  bool compute_v = true;
  std::array<flowgraph::shape, 2> shape(shape_context& c, const flowgraph::shape& x) const {
    return eigen_shape(c, x, compute_v);
  }
  std::size_t scratch(const flowgraph::shape& x) const { return eigen_scratch(x); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> e, view<T> v) const;
};
struct self_adjoint_eig_form {
  using types = type_list<float, double>;
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const { return joined_eigen_shape(c, x); }
  std::size_t scratch(const flowgraph::shape& x) const { return eigen_scratch(x); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
};

}  // namespace detail

// Returns the eigenvalues of symmetric or Hermitian matrices in ascending order, and the eigenvectors as columns. Only the lower
// triangle of x is read. Without `compute_v`, the second output is empty.
struct self_adjoint_eig_v2_op : detail::self_adjoint_eig_v2_form {
  static constexpr std::string_view name = "SelfAdjointEigV2";
  using types = type_list<float, double, complex64, complex128>;
  static constexpr auto attrs = flowgraph::attrs(attr("compute_v", &self_adjoint_eig_v2_op::compute_v));
  template <class T> out<T> gradient(out<T> x, out<T> e, out<T> v, out<T> de, out<T> dv) const;
};
// The older name of SelfAdjointEigV2.
struct batch_self_adjoint_eig_v2_op : detail::self_adjoint_eig_v2_form {
  static constexpr std::string_view name = "BatchSelfAdjointEigV2";
  static constexpr op_facts facts{.not_differentiable = true};
  using types = type_list<float, double>;
  static constexpr auto attrs = flowgraph::attrs(attr("compute_v", &batch_self_adjoint_eig_v2_op::compute_v));
};
// The first version of SelfAdjointEigV2: returns the eigenvalues as the first row of a matrix, and the eigenvectors below them.
struct self_adjoint_eig_op : detail::self_adjoint_eig_form {
  static constexpr std::string_view name = "SelfAdjointEig";
  static constexpr op_facts facts{.not_differentiable = true};
};
// The older name of SelfAdjointEig.
struct batch_self_adjoint_eig_op : detail::self_adjoint_eig_form {
  static constexpr std::string_view name = "BatchSelfAdjointEig";
  static constexpr op_facts facts{.not_differentiable = true};
};

// The results of `eigh`.
template <class T> struct eigen_decomposition {
  out<T> values;   // the eigenvalues of each matrix, in ascending order
  out<T> vectors;  // column i is the eigenvector of value i
};
template <class T> eigen_decomposition<T> eigh(const out<T>& x, site s = {}) {
  const auto [values, vectors] = apply(self_adjoint_eig_v2_op{}, x, s);
  return {values, vectors};
}

using eigenvalue_ops =
    type_list<self_adjoint_eig_v2_op, batch_self_adjoint_eig_v2_op, self_adjoint_eig_op, batch_self_adjoint_eig_op>;

namespace detail {

// 1 / (e[j] - e[i]) beside the diagonal, 0 on it. Equal values give 0, so that the gradient stays finite, as in TensorFlow.
template <class T> out<T> reciprocal_gaps(const out<T>& e) {
  const out<T> gap = expand_dims(e, -2) - expand_dims(e, -1);
  return matrix_set_diag(gap / (gap * gap + scalar_beside(e, T(1e-20f))), zeros_like(e));
}

}  // namespace detail

template <class T> out<T> self_adjoint_eig_v2_op::gradient(out<T> x, out<T> e, out<T> v, out<T> de, out<T> dv) const {
  using namespace detail;
  const out<T> vectors = compute_v ? v : eigh(x).vectors;
  out<T> inner = matrix_diag(de);
  if (compute_v) inner = inner + reciprocal_gaps(e) * adjoint_product(v, dv);
  const out<T> full = product_of(vectors, product_adjoint(inner, vectors));
  return half_lower(full + adjoint_of(full));
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/linear_algebra/detail/eigenvalues.hpp>
#endif
