#pragma once
// The shape rules of decompositions and solvers. The last two axes of a tensor are matrices, and the axes before them are a
// batch.

#include <flowgraph/op/shape_rule.hpp>

#include <array>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the axes before the matrices; of unknown rank if that of x is unknown.
shape batch_of(const shape& x);
// Returns `batch` with these axes behind it.
shape with_axes(const shape& batch, std::initializer_list<std::int64_t> extents);
// Returns the smaller extent of two; -1 if it is unknown.
std::int64_t smaller_extent(std::int64_t a, std::int64_t b);

// Fails if x does not consist of matrices, or of square matrices.
bool has_matrices(shape_context& c, const shape& x);
bool has_square_matrices(shape_context& c, const shape& x);

shape square_matrices_shape(shape_context& c, const shape& x);      // the shape of x
shape scalars_of_matrices_shape(shape_context& c, const shape& x);  // one number for each square matrix
std::array<shape, 2> lu_shape(shape_context& c, const shape& x);    // the decomposition, and the order of the rows
std::array<shape, 2> qr_shape(shape_context& c, const shape& x, bool full);
shape equations_shape(shape_context& c, const shape& a, const shape& b);  // of x, for square a x = b
shape triangular_equations_shape(shape_context& c, const shape& a, const shape& b);
shape least_squares_shape(shape_context& c, const shape& a, const shape& b, const shape& l2);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/linear_algebra/impl/matrix_shapes.hpp>
#endif
