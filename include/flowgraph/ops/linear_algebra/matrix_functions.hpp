#pragma once
// Functions of square matrices: the exponential, the logarithm and the square root.
//
//   const auto step = fg::matrix_exponential(generator);  // 1 + x + x^2 / 2 + ...
//   const auto half = fg::matrix_square_root(step);       // half half = step

#include <flowgraph/ops/linear_algebra/solve.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

std::size_t matrix_exponential_scratch(const shape& x);
std::size_t matrix_logarithm_scratch(const shape& x);
std::size_t matrix_square_root_scratch(const shape& x);

// Solves r^H y + y r^H = dy for y.
template <class T> out<T> square_root_gradient(const out<T>& r, const out<T>& dy);

}  // namespace detail

// Returns the exponential of each matrix: the sum of x^k / k!. If a matrix contains a NaN or an infinity, its result is NaN.
struct matrix_exponential_op {
  static constexpr std::string_view name = "MatrixExponential";
  static constexpr op_facts facts{.not_differentiable = true};
  using types = type_list<float, double, complex64, complex128>;
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const { return detail::square_matrices_shape(c, x); }
  std::size_t scratch(const flowgraph::shape& x) const { return detail::matrix_exponential_scratch(x); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
};

// Returns the principal logarithm of each matrix: the y of exp(y) = x whose eigenvalues have imaginary parts in (-pi, pi]. If a
// matrix is not invertible, its result is NaN.
struct matrix_logarithm_op {
  static constexpr std::string_view name = "MatrixLogarithm";
  static constexpr op_facts facts{.not_differentiable = true};
  using types = type_list<complex64, complex128>;
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const { return detail::square_matrices_shape(c, x); }
  std::size_t scratch(const flowgraph::shape& x) const { return detail::matrix_logarithm_scratch(x); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
};

// Returns the principal square root of each matrix: the y of y y = x whose eigenvalues have no negative real parts. If a real matrix
// has a negative eigenvalue, its result is NaN; complex matrices have a root in this case.
struct matrix_square_root_op {
  static constexpr std::string_view name = "MatrixSquareRoot";
  using types = type_list<float, double, complex64, complex128>;
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const { return detail::square_matrices_shape(c, x); }
  std::size_t scratch(const flowgraph::shape& x) const { return detail::matrix_square_root_scratch(x); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
  template <class T> out<T> gradient(out<T>, out<T> y, out<T> dy) const { return detail::square_root_gradient(y, dy); }
};

template <class T> out<T> matrix_exponential(const out<T>& x, site s = {}) { return apply(matrix_exponential_op{}, x, s); }
template <class T> out<T> matrix_logarithm(const out<T>& x, site s = {}) { return apply(matrix_logarithm_op{}, x, s); }
template <class T> out<T> matrix_square_root(const out<T>& x, site s = {}) { return apply(matrix_square_root_op{}, x, s); }

using matrix_function_ops = type_list<matrix_exponential_op, matrix_logarithm_op, matrix_square_root_op>;

// The equations of all elements of y form one matrix, the sum of two Kronecker products: elements (i, k) and (j, l) meet in row
// i n + k and column j n + l.
template <class T> out<T> detail::square_root_gradient(const out<T>& r, const out<T>& dy) {
  const auto spread_first = [](const out<T>& x) { return expand_dims(expand_dims(x, -1), -3); };
  const auto spread_second = [](const out<T>& x) { return expand_dims(expand_dims(x, -2), -4); };
  const out<T> unit = matrix_diag(ones_like(matrix_diag_part(r)));
  const out<T> sum = spread_first(adjoint_of(r)) * spread_second(unit) + spread_first(unit) * spread_second(conjugated(r));
  const shape known = r.shape();
  if (known.is_known() && known.rank >= 2) {
    const std::int64_t n = known[-1];
    const out<T> y =
        solve(reshape(sum, with_axes(batch_of(known), {n * n, n * n})), reshape(dy, with_axes(batch_of(known), {n * n, 1})));
    return reshape(y, known);
  }
  const out<std::int32_t> size = shape_of(r), rank = reshape(rank_of(r), {1});
  const auto constant = [&](std::int32_t n) { return constant_beside(r, tensor<std::int32_t>({1}, {n})); };
  const out<std::int32_t> before = slice(size, constant(0), rank - constant(2)), n = slice(size, rank - constant(1), constant(1));
  const out<T> y = solve(reshape(sum, concat({before, n * n, n * n}, 0)), reshape(dy, concat({before, n * n, constant(1)}, 0)));
  return reshape(y, size);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/linear_algebra/detail/matrix_functions.hpp>
#endif
