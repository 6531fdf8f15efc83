#pragma once
// Inverses, determinants and LU decompositions of square matrices.
//
//   const auto y = fg::inverse(x);
//   const auto volume = fg::det(x);
//   const auto [sign, log] = fg::log_det(x);  // det(x) = sign * exp(log), also where det(x) is too large for its type

#include <flowgraph/ops/linear_algebra/detail/matrix_gradients.hpp>
#include <flowgraph/ops/linear_algebra/detail/matrix_shapes.hpp>
#include <flowgraph/ops/math/complex.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

std::size_t inverse_scratch(const shape& x);
std::size_t lu_scratch(const shape& x);

struct inverse_form {
  bool adjoint = false;
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const { return square_matrices_shape(c, x); }
  std::size_t scratch(const flowgraph::shape& x) const { return inverse_scratch(x); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
};
struct determinant_form {
  using types = type_list<float, double, complex64, complex128>;
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const { return scalars_of_matrices_shape(c, x); }
  std::size_t scratch(const flowgraph::shape& x) const { return lu_scratch(x); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
};

// The gradient of a determinant: dy, a number for each matrix, times the adjoint inverse.
template <class T> out<T> determinant_gradient(const out<T>& x, const out<T>& dy);

}  // namespace detail

// Returns the inverse of each matrix. With `adjoint`, returns the inverse of the adjoint. The run fails if a matrix is not
// invertible.
struct matrix_inverse_op : detail::inverse_form {
  static constexpr std::string_view name = "MatrixInverse";
  using types = type_list<half, float, double, complex64, complex128>;
  static constexpr auto attrs = flowgraph::attrs(attr("adjoint", &matrix_inverse_op::adjoint));
  template <class T> out<T> gradient(out<T>, out<T> y, out<T> dy) const {
    const out<T> inner = batch_matmul(dy, y, {.adj_x = adjoint, .adj_y = !adjoint});
    return -batch_matmul(y, inner, {.adj_x = !adjoint});
  }
};
// The older name of MatrixInverse.
struct batch_matrix_inverse_op : detail::inverse_form {
  static constexpr std::string_view name = "BatchMatrixInverse";
  static constexpr op_facts facts{.not_differentiable = true};
  using types = type_list<float, double>;
  static constexpr auto attrs = flowgraph::attrs(attr("adjoint", &batch_matrix_inverse_op::adjoint));
};

// Returns the determinant of each matrix.
struct matrix_determinant_op : detail::determinant_form {
  static constexpr std::string_view name = "MatrixDeterminant";
  template <class T> out<T> gradient(out<T> x, out<T> y, out<T> dy) const {
    return detail::determinant_gradient(x, dy * detail::conjugated(y));
  }
};
// The older name of MatrixDeterminant.
struct batch_matrix_determinant_op : detail::determinant_form {
  static constexpr std::string_view name = "BatchMatrixDeterminant";
  static constexpr op_facts facts{.not_differentiable = true};
};

// Returns, for each matrix, the sign of its determinant and the logarithm of the absolute value of its determinant. For a complex
// matrix the sign is a number of absolute value 1.
struct log_matrix_determinant_op {
  static constexpr std::string_view name = "LogMatrixDeterminant";
  using types = type_list<float, double, complex64, complex128>;
  std::array<flowgraph::shape, 2> shape(shape_context& c, const flowgraph::shape& x) const {
    const flowgraph::shape result = detail::scalars_of_matrices_shape(c, x);
    return {result, result};
  }
  std::size_t scratch(const flowgraph::shape& x) const { return detail::lu_scratch(x); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> sign, view<T> log) const;
  template <class T> out<T> gradient(out<T> x, out<T> sign, out<T>, out<T> dsign, out<T> dlog) const {
    // The logarithm is real; the sign of a complex determinant depends on its angle.
    if constexpr (in_list<T, complex_numbers>)
      return detail::determinant_gradient(x, complex(real(dlog), imag(dsign * detail::conjugated(sign))));
    else return detail::determinant_gradient(x, dlog);
  }
};

// Decomposes each square matrix x, with its rows in the order p, into l u. l is lower triangular with a unit diagonal, u is upper
// triangular, and both are stored in one matrix. The run fails if a matrix is not invertible.
struct lu_op {
  static constexpr std::string_view name = "Lu";
  using types =
      type_attrs<type_attr<"T", type_list<float, double, complex64, complex128>>, type_attr<"output_idx_type", index_types>>;
  static constexpr op_facts facts{.not_differentiable = true};
  std::array<flowgraph::shape, 2> shape(shape_context& c, const flowgraph::shape& x) const { return detail::lu_shape(c, x); }
  std::size_t scratch(const flowgraph::shape& x) const { return detail::lu_scratch(x); }
  template <class T, class I> void operator()(cpu ctx, view<const T> x, view<T> lu, view<I> p) const;
};

// Options of inverse.
struct inverse_options {
  bool adjoint = false;  // true: returns the inverse of the adjoint
};
template <class T> out<T> inverse(const out<T>& x, const inverse_options& options, site s = {}) {
  return apply(matrix_inverse_op{{options.adjoint}}, x, s);
}
template <class T> out<T> inverse(const out<T>& x, site s = {}) { return inverse(x, inverse_options{}, s); }

template <class T> out<T> det(const out<T>& x, site s = {}) { return apply(matrix_determinant_op{}, x, s); }

// The results of `log_det`.
template <class T> struct log_determinant {
  out<T> sign;  // the sign of each determinant
  out<T> log;   // the logarithm of its absolute value
};
template <class T> log_determinant<T> log_det(const out<T>& x, site s = {}) {
  const auto [sign, log] = apply(log_matrix_determinant_op{}, x, s);
  return {sign, log};
}

// The results of `lu`.
template <class T> struct lu_decomposition {
  out<T> lu;               // l without its unit diagonal, and u
  out<std::int32_t> rows;  // row i of l u is row rows[i] of x
};
template <class T> lu_decomposition<T> lu(const out<T>& x, site s = {}) {
  const auto [result, rows] = apply_as<T, std::int32_t>(s, lu_op{}, x);
  return {result, rows};
}

using inverse_ops = type_list<matrix_inverse_op, batch_matrix_inverse_op, matrix_determinant_op, batch_matrix_determinant_op,
                              log_matrix_determinant_op, lu_op>;

template <class T> out<T> detail::determinant_gradient(const out<T>& x, const out<T>& dy) {
  return for_matrices(dy) * inverse(x, {.adjoint = true});
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/linear_algebra/detail/inverse.hpp>
#endif
