#pragma once
// The Cholesky decomposition of positive definite matrices.
//
//   const auto l = fg::cholesky(covariance);                          // covariance = l l^T
//   const auto weights = fg::cholesky_solve(l, targets);              // covariance weights = targets

#include <flowgraph/ops/linear_algebra/solve.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

std::size_t cholesky_scratch(const shape& x);
std::size_t cholesky_gradient_scratch(const shape& x);

struct cholesky_form {
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const { return square_matrices_shape(c, x); }
  std::size_t scratch(const flowgraph::shape& x) const { return cholesky_scratch(x); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
};
struct cholesky_grad_form {
  using types = type_list<float, double>;
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& l, const flowgraph::shape& dl) const {
    const flowgraph::shape x = square_matrices_shape(c, l), dx = square_matrices_shape(c, dl);
    return fits(x, dx) ? merged(x, dx) : c.fail("expected two tensors of the same shape");
  }
  std::size_t scratch(const flowgraph::shape& l, const flowgraph::shape&) const { return cholesky_gradient_scratch(l); }
  template <class T> void operator()(cpu ctx, view<const T> l, view<const T> dl, view<T> y) const;
};

}  // namespace detail

// Returns the lower triangular matrix l of x = l l^H for positive definite matrices. Only the lower triangle of x is read. If a
// matrix is not positive definite, its result consists of NaN.
struct cholesky_op : detail::cholesky_form {
  static constexpr std::string_view name = "Cholesky";
  using types = type_list<float, double, complex64, complex128>;
  template <class T> out<T> gradient(out<T> x, out<T> l, out<T> dl) const;
};
// The older name of Cholesky.
struct batch_cholesky_op : detail::cholesky_form {
  static constexpr std::string_view name = "BatchCholesky";
  static constexpr op_facts facts{.not_differentiable = true};
  using types = type_list<float, double>;
};

// Returns the gradient of a Cholesky decomposition, computed from its result.
struct cholesky_grad_op : detail::cholesky_grad_form {
  static constexpr std::string_view name = "CholeskyGrad";
  static constexpr op_facts facts{.not_differentiable = true};
};
// The older name of CholeskyGrad.
struct batch_cholesky_grad_op : detail::cholesky_grad_form {
  static constexpr std::string_view name = "BatchCholeskyGrad";
  static constexpr op_facts facts{.not_differentiable = true};
};

template <class T> out<T> cholesky(const out<T>& x, site s = {}) { return apply(cholesky_op{}, x, s); }

// Solves a x = b for the a whose Cholesky decomposition is l: a = l l^H.
template <class T> out<T> cholesky_solve(const out<T>& l, const std::type_identity_t<out<T>>& b, site s = {}) {
  return triangular_solve(l, triangular_solve(l, b, {}, detail::part_of(s, "cholesky_solve/forward")), {.adjoint = true}, s);
}

using cholesky_ops = type_list<cholesky_op, batch_cholesky_op, cholesky_grad_op, batch_cholesky_grad_op>;

template <class T> out<T> cholesky_op::gradient(out<T>, out<T> l, out<T> dl) const {
  const out<T> middle = detail::half_lower(detail::adjoint_product(l, dl));
  // l^-H middle l^-1: the second factor is the adjoint of l^-H times the adjoint of the first.
  const out<T> left = triangular_solve(l, middle, {.adjoint = true});
  const out<T> half = triangular_solve(l, detail::adjoint_of(left), {.adjoint = true});
  return (half + detail::adjoint_of(half)) * detail::scalar_beside(l, T(0.5f));
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/linear_algebra/detail/cholesky.hpp>
#endif
