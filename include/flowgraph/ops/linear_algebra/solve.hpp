#pragma once
// Systems of linear equations.
//
//   const auto x = fg::solve(a, b);                                       // a x = b, for square matrices a
//   const auto y = fg::triangular_solve(l, b);                            // l y = b, for lower triangular matrices l
//   const auto z = fg::triangular_solve(u, b, {.lower = false});          // u z = b, for upper triangular matrices u

#include <flowgraph/ops/linear_algebra/detail/matrix_gradients.hpp>
#include <flowgraph/ops/linear_algebra/detail/matrix_shapes.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

std::size_t solve_scratch(const shape& a, const shape& b);
std::size_t triangular_solve_scratch(const shape& a, const shape& b);

struct solve_form {
  bool adjoint = false;
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& a, const flowgraph::shape& b) const {
    return equations_shape(c, a, b);
  }
  std::size_t scratch(const flowgraph::shape& a, const flowgraph::shape& b) const { return solve_scratch(a, b); }
  template <class T> void operator()(cpu ctx, view<const T> a, view<const T> b, view<T> x) const;
};
struct triangular_solve_form {
  bool lower = true, adjoint = false;
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& a, const flowgraph::shape& b) const {
    return triangular_equations_shape(c, a, b);
  }
  std::size_t scratch(const flowgraph::shape& a, const flowgraph::shape& b) const { return triangular_solve_scratch(a, b); }
  template <class T> void operator()(cpu ctx, view<const T> a, view<const T> b, view<T> x) const;
};

}  // namespace detail

// Solves a x = b for square matrices a, by LU decomposition with partial pivoting. With `adjoint`, solves a^H x = b.
struct matrix_solve_op : detail::solve_form {
  static constexpr std::string_view name = "MatrixSolve";
  using types = type_list<float, double, complex64, complex128>;
  static constexpr auto attrs = flowgraph::attrs(attr("adjoint", &matrix_solve_op::adjoint));
  template <class T> gradients_of<T, 2> gradient(out<T> a, out<T>, out<T> x, out<T> dx) const;
};
// The older name of MatrixSolve.
struct batch_matrix_solve_op : detail::solve_form {
  static constexpr std::string_view name = "BatchMatrixSolve";
  static constexpr op_facts facts{.not_differentiable = true};
  using types = type_list<float, double>;
  static constexpr auto attrs = flowgraph::attrs(attr("adjoint", &batch_matrix_solve_op::adjoint));
};

// Solves a x = b for triangular matrices a. Only the named triangle of a is read. With `adjoint`, solves a^H x = b. The axes before
// the matrices are broadcast.
struct matrix_triangular_solve_op : detail::triangular_solve_form {
  static constexpr std::string_view name = "MatrixTriangularSolve";
  using types = type_list<float, double, complex64, complex128>;
  static constexpr auto attrs =
      flowgraph::attrs(attr("lower", &matrix_triangular_solve_op::lower), attr("adjoint", &matrix_triangular_solve_op::adjoint));
  template <class T> gradients_of<T, 2> gradient(out<T> a, out<T> b, out<T> x, out<T> dx) const;
};
// The older name of MatrixTriangularSolve.
struct batch_matrix_triangular_solve_op : detail::triangular_solve_form {
  static constexpr std::string_view name = "BatchMatrixTriangularSolve";
  static constexpr op_facts facts{.not_differentiable = true};
  using types = type_list<float, double>;
  static constexpr auto attrs = flowgraph::attrs(attr("lower", &batch_matrix_triangular_solve_op::lower),
                                                 attr("adjoint", &batch_matrix_triangular_solve_op::adjoint));
};

// Options of solve.
struct solve_options {
  bool adjoint = false;  // true: the equations have the adjoint of a
};
// Solves a x = b for square matrices a. The run fails if a matrix is not invertible.
template <class T>
out<T> solve(const out<T>& a, const std::type_identity_t<out<T>>& b, const solve_options& options, site s = {}) {
  return apply(matrix_solve_op{{options.adjoint}}, a, b, s);
}
template <class T> out<T> solve(const out<T>& a, const std::type_identity_t<out<T>>& b, site s = {}) {
  return solve(a, b, solve_options{}, s);
}

// Options of triangular_solve.
struct triangular_solve_options {
  bool lower = true;     // false: the upper triangle of a is read
  bool adjoint = false;  // true: the equations have the adjoint of a
};
// Solves a x = b for triangular matrices a.
template <class T>
out<T> triangular_solve(const out<T>& a, const std::type_identity_t<out<T>>& b, const triangular_solve_options& options,
                        site s = {}) {
  return apply(matrix_triangular_solve_op{{options.lower, options.adjoint}}, a, b, s);
}
template <class T> out<T> triangular_solve(const out<T>& a, const std::type_identity_t<out<T>>& b, site s = {}) {
  return triangular_solve(a, b, triangular_solve_options{}, s);
}

using solve_ops = type_list<matrix_solve_op, batch_matrix_solve_op, matrix_triangular_solve_op, batch_matrix_triangular_solve_op>;

template <class T> gradients_of<T, 2> matrix_solve_op::gradient(out<T> a, out<T>, out<T> x, out<T> dx) const {
  const out<T> db = solve(a, dx, {.adjoint = !adjoint});
  return {{adjoint ? -detail::product_adjoint(x, db) : -detail::product_adjoint(db, x), db}};
}

template <class T> gradients_of<T, 2> matrix_triangular_solve_op::gradient(out<T> a, out<T> b, out<T> x, out<T> dx) const {
  const out<T> db = triangular_solve(a, dx, {.lower = lower, .adjoint = !adjoint});
  const out<T> da = adjoint ? -detail::product_adjoint(x, db) : -detail::product_adjoint(db, x);
  const out<T> triangle = matrix_band_part(da, lower ? -1 : 0, lower ? 0 : -1);
  return {{detail::reduced_to_batch(triangle, a, b), detail::reduced_to_batch(db, b, a)}};
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/linear_algebra/detail/solve.hpp>
#endif
