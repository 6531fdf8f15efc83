#pragma once
// Eigenvalues and eigenvectors of any square matrices. Those of real matrices may be complex too.
//
//   const auto [values, vectors] = fg::eig(x);  // x v = e v for each column v of `vectors`
//
// For symmetric and Hermitian matrices, fg::eigh is faster and returns real values in ascending order.

#include <flowgraph/ops/linear_algebra/eigenvalues.hpp>
#include <flowgraph/ops/linear_algebra/solve.hpp>
#include <flowgraph/ops/math/complex.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

std::size_t general_eigen_scratch(const shape& x);

template <class T> struct complex_form_of {
  using type = std::complex<T>;
};
template <class R> struct complex_form_of<std::complex<R>> {
  using type = std::complex<R>;
};
template <class T> using complex_of = complex_form_of<T>::type;
template <class C, class T> concept complex_form = !element<T> || std::is_same_v<C, complex_of<T>>;

// The gradient of the eigenvalues and eigenvectors of a matrix, before it is made real. `dv` may be null.
template <class C> out<C> general_eigen_gradient(const out<C>& e, const out<C>& v, const out<C>& de, const out<C>* dv);

}  // namespace detail

// Returns the eigenvalues of square matrices, and the eigenvectors of length 1 as columns. The eigenvalues of a complex
// matrix are in the order of their absolute values; those of a real matrix are in no specified order. Without `compute_v`, the second output is empty. The run fails if a real matrix contains an infinity, or if the
// iteration does not converge.
struct eig_op {
  static constexpr std::string_view name = "Eig";
  using types = type_attrs<type_attr<"T", type_list<float, double, complex64, complex128>>,
                           type_attr<"Tout", type_list<complex64, complex128>>>;
  bool compute_v = true;
  static constexpr auto attrs = flowgraph::attrs(attr("compute_v", &eig_op::compute_v));
  std::array<flowgraph::shape, 2> shape(shape_context& c, const flowgraph::shape& x) const {
    return detail::eigen_shape(c, x, compute_v);
  }
  std::size_t scratch(const flowgraph::shape& x) const { return detail::general_eigen_scratch(x); }
  template <class T, class C>
    requires detail::complex_form<C, T> void operator()(cpu ctx, view<const T> x, view<C> e, view<C> v) const;
  template <class T, class C> out<T> gradient(out<T> x, out<C> e, out<C> v, out<C> de, out<C> dv) const;
};

// The results of `eig`.
template <class C> struct general_eigen_decomposition {
  out<C> values;   // the eigenvalues of each matrix
  out<C> vectors;  // column i is the eigenvector of value i
};
template <class T> general_eigen_decomposition<detail::complex_of<T>> eig(const out<T>& x, site s = {}) {
  const auto [values, vectors] = apply_as<T, detail::complex_of<T>>(s, eig_op{}, x);
  return {values, vectors};
}

using general_eigenvalue_ops = type_list<eig_op>;

template <class C> out<C> detail::general_eigen_gradient(const out<C>& e, const out<C>& v, const out<C>& de, const out<C>* dv) {
  out<C> middle = matrix_diag(de);
  if (dv) {
    using R = C::value_type;
    const out<C> turned = adjoint_product(v, *dv);
    const out<R> lengths = real(matrix_diag_part(turned));
    const out<C> along = matrix_diag(complex(lengths, zeros_like(lengths)));
    middle = middle + conj(reciprocal_gaps(e)) * (turned - product_of(adjoint_product(v, v), along));
  }
  return solve(v, product_adjoint(middle, v), {.adjoint = true});
}

template <class T, class C> out<T> eig_op::gradient(out<T> x, out<C> e, out<C> v, out<C> de, out<C> dv) const {
  if constexpr (std::is_same_v<C, detail::complex_of<T>>) {
    const out<C> vectors = compute_v ? v : eig(x).vectors;
    const out<C> result = detail::general_eigen_gradient(e, vectors, de, compute_v ? &dv : nullptr);
    if constexpr (std::is_same_v<C, T>) return result;
    else return real(result);
  } else {
    return zeros_like(x);
  }
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/linear_algebra/detail/general_eigenvalues.hpp>
#endif
