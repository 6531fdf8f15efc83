#pragma once
// Matrices whose elements are zero except on three diagonals. A matrix of n rows is stored as three rows of n elements: the diagonal
// above the main diagonal, the main diagonal, and the diagonal below it. Element i belongs to row i of the matrix, so the last
// element of the first row and the first element of the third row are not read.
//
//   const auto y = fg::tridiagonal_matmul(above, main, below, x);  // above, main, below: {batch, 1, n}; x: {batch, n, k}
//   const auto z = fg::tridiagonal_solve(diagonals, y);            // diagonals: {batch, 3, n}

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/strided_slice.hpp>
#include <flowgraph/ops/linear_algebra/detail/matrix_gradients.hpp>
#include <flowgraph/ops/linear_algebra/detail/matrix_shapes.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

shape tridiagonal_matmul_shape(shape_context& c, const shape& above, const shape& main, const shape& below, const shape& x);
shape tridiagonal_solve_shape(shape_context& c, const shape& diagonals, const shape& b);
std::size_t tridiagonal_solve_scratch(const shape& diagonals);

}  // namespace detail

// Multiplies tridiagonal matrices by matrices. The three diagonals are matrices of one row.
struct tridiagonal_matmul_op {
  static constexpr std::string_view name = "TridiagonalMatMul";
  using types = type_list<float, double, complex64, complex128>;
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& above, const flowgraph::shape& main,
                         const flowgraph::shape& below, const flowgraph::shape& x) const {
    return detail::tridiagonal_matmul_shape(c, above, main, below, x);
  }
  template <class T>
  void operator()(cpu ctx, view<const T> above, view<const T> main, view<const T> below, view<const T> x, view<T> y) const;
  template <class T> gradients_of<T, 4> gradient(out<T> above, out<T> main, out<T> below, out<T> x, out<T> y, out<T> dy) const;
};

// Solves a x = b for tridiagonal matrices a, by Gaussian elimination. With `partial_pivoting`, rows are exchanged. If a pivot is
// zero, the solution of its matrix is NaN; for complex elements, as in TensorFlow, it is 0. With `perturb_singular`, such a pivot is replaced by a small number, so that the solution
// is finite; it requires `partial_pivoting`.
struct tridiagonal_solve_op {
  static constexpr std::string_view name = "TridiagonalSolve";
  using types = type_list<float, double, complex64, complex128>;
  bool partial_pivoting = true, perturb_singular = false;
  static constexpr auto attrs = flowgraph::attrs(attr("partial_pivoting", &tridiagonal_solve_op::partial_pivoting),
                                                 attr("perturb_singular", &tridiagonal_solve_op::perturb_singular));
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& diagonals, const flowgraph::shape& b) const {
    return detail::tridiagonal_solve_shape(c, diagonals, b);
  }
  std::size_t scratch(const flowgraph::shape& diagonals, const flowgraph::shape&) const {
    return detail::tridiagonal_solve_scratch(diagonals);
  }
  template <class T> void operator()(cpu ctx, view<const T> diagonals, view<const T> b, view<T> x) const;
  template <class T> gradients_of<T, 2> gradient(out<T> diagonals, out<T> b, out<T> x, out<T> dx) const;
};

// Multiplies the tridiagonal matrix with these diagonals by x.
template <class T>
out<T> tridiagonal_matmul(const out<T>& above, const std::type_identity_t<out<T>>& main,
                          const std::type_identity_t<out<T>>& below, const std::type_identity_t<out<T>>& x, site s = {}) {
  return apply(tridiagonal_matmul_op{}, above, main, below, x, s);
}

// Options of tridiagonal_solve.
struct tridiagonal_solve_options {
  bool partial_pivoting = true;   // false: rows are not exchanged; faster, and accurate if the main diagonal dominates
  bool perturb_singular = false;  // true: a pivot of zero is replaced by a small number; requires partial_pivoting
};
// Solves a x = b for the tridiagonal matrix a with these diagonals.
template <class T>
out<T> tridiagonal_solve(const out<T>& diagonals, const std::type_identity_t<out<T>>& b, const tridiagonal_solve_options& options,
                         site s = {}) {
  return apply(tridiagonal_solve_op{options.partial_pivoting, options.perturb_singular}, diagonals, b, s);
}
template <class T> out<T> tridiagonal_solve(const out<T>& diagonals, const std::type_identity_t<out<T>>& b, site s = {}) {
  return tridiagonal_solve(diagonals, b, tridiagonal_solve_options{}, s);
}

using tridiagonal_ops = type_list<tridiagonal_matmul_op, tridiagonal_solve_op>;

namespace detail {

// Moves the rows of matrices up or down by one, and fills the free row with zeros. The rank need not be known.
template <class T> out<T> rows_up(const out<T>& x) {
  const out<T> first = strided_slice(x, {slice_spec::ellipsis(), slice_spec::to(1), slice_spec::all()});
  return concat({strided_slice(x, {slice_spec::ellipsis(), slice_spec::from(1), slice_spec::all()}), zeros_like(first)}, -2);
}
template <class T> out<T> rows_down(const out<T>& x) {
  const out<T> last = strided_slice(x, {slice_spec::ellipsis(), slice_spec::from(-1), slice_spec::all()});
  return concat({zeros_like(last), strided_slice(x, {slice_spec::ellipsis(), slice_spec::to(-1), slice_spec::all()})}, -2);
}
// The sums of the products of the elements of each row, as one row.
template <class T> out<T> row_dots(const out<T>& x, const out<T>& y) { return expand_dims(sum(conjugated(x) * y, {-1}), -2); }

}  // namespace detail

template <class T>
gradients_of<T, 4> tridiagonal_matmul_op::gradient(out<T> above, out<T> main, out<T> below, out<T> x, out<T>, out<T> dy) const {
  using namespace detail;
  const out<T> dx = rows_down(adjoint_of(above) * dy) + adjoint_of(main) * dy + rows_up(adjoint_of(below) * dy);
  return {{row_dots(rows_up(x), dy), row_dots(x, dy), row_dots(rows_down(x), dy), dx}};
}

template <class T> gradients_of<T, 2> tridiagonal_solve_op::gradient(out<T> diagonals, out<T>, out<T> x, out<T> dx) const {
  using namespace detail;
  const out_list<T> rows = split(diagonals, 3, -2);
  const out<T> main = rows[1];
  // The adjoint matrix: its upper diagonal is the lower diagonal, moved by one element.
  const out<T> above = adjoint_of(rows_up(adjoint_of(conjugated(rows[2]))));
  const out<T> below = adjoint_of(rows_down(adjoint_of(conjugated(rows[0]))));
  const out<T> db = apply(*this, concat({above, conjugated(main), below}, -2), dx);
  const out<T> dots = concat({row_dots(rows_up(x), db), row_dots(x, db), row_dots(rows_down(x), db)}, -2);
  return {{-dots, db}};
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/linear_algebra/detail/tridiagonal.hpp>
#endif
