#pragma once
// Systems of linear equations with triangular matrices of which only a few diagonals are stored.
//
//   const auto x = fg::banded_triangular_solve(bands, b);  // bands: {batch, bands, n}; the main diagonal is the first row

#include <flowgraph/ops/linear_algebra/solve.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

shape banded_equations_shape(shape_context& c, const shape& bands, const shape& b);

}  // namespace detail

// Solves a x = b for triangular matrices a that are stored as bands: row k of `bands` is the diagonal k below the main diagonal, and
// element i of it belongs to row i of a, so the first k elements are not read. Without `lower`, the last row is the main diagonal,
// the row before it is the diagonal above that, and the last elements are not read. With `adjoint`, solves a^H x = b. The axes
// before the matrices are broadcast. The run fails if an element of the main diagonal is zero.
struct banded_triangular_solve_op {
  static constexpr std::string_view name = "BandedTriangularSolve";
  using types = type_list<float, double, complex64, complex128>;
  bool lower = true, adjoint = false;
  static constexpr auto attrs =
      flowgraph::attrs(attr("lower", &banded_triangular_solve_op::lower), attr("adjoint", &banded_triangular_solve_op::adjoint));
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& bands, const flowgraph::shape& b) const {
    return detail::banded_equations_shape(c, bands, b);
  }
  template <class T> void operator()(cpu ctx, view<const T> bands, view<const T> b, view<T> x) const;
  template <class T> gradients_of<T, 2> gradient(out<T> bands, out<T> b, out<T> x, out<T> dx) const;
};

// Solves a x = b for triangular matrices a that are stored as bands.
template <class T>
out<T> banded_triangular_solve(const out<T>& bands, const std::type_identity_t<out<T>>& b,
                               const triangular_solve_options& options, site s = {}) {
  return apply(banded_triangular_solve_op{options.lower, options.adjoint}, bands, b, s);
}
template <class T> out<T> banded_triangular_solve(const out<T>& bands, const std::type_identity_t<out<T>>& b, site s = {}) {
  return banded_triangular_solve(bands, b, triangular_solve_options{}, s);
}

using banded_solve_ops = type_list<banded_triangular_solve_op>;

template <class T> gradients_of<T, 2> banded_triangular_solve_op::gradient(out<T> bands, out<T> b, out<T> x, out<T> dx) const {
  using namespace detail;
  const out<T> db = banded_triangular_solve(bands, dx, {.lower = lower, .adjoint = !adjoint});
  const out<T> da = adjoint ? -product_adjoint(x, db) : -product_adjoint(db, x);
  // The rank of `bands` may be unknown, so the number of bands is read from the axis before the last.
  const out<std::int32_t> size = shape_of(bands), rank = reshape(rank_of(bands), {1});
  const auto constant = [&](std::int32_t n) { return constant_beside(bands, tensor<std::int32_t>({1}, {n})); };
  const out<std::int32_t> most = slice(size, rank - constant(2), constant(1)) - constant(1);
  const out<std::int32_t> range = lower ? concat({-most, constant(0)}, 0) : concat({constant(0), most}, 0);
  const out<T> parts = matrix_diag_part(da, range, zero_beside(da), diagonal_alignment::left_right);
  // A single diagonal is a vector there.
  const out<std::int32_t> of_batch = slice(shape_of(da), constant(0), reshape(rank_of(da), {1}) - constant(2));
  const out<T> rows = reshape(parts, concat({of_batch, slice(size, rank - constant(2), constant(2))}, 0));
  return {{reduced_to_batch(rows, bands, b), reduced_to_batch(db, b, bands)}};
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/linear_algebra/detail/banded_solve.hpp>
#endif
