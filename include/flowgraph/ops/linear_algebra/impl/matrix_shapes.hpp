#pragma once

#include <flowgraph/ops/array/broadcast.hpp>
#include <flowgraph/ops/linear_algebra/detail/matrix_shapes.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE shape batch_of(const shape& x) { return x.has_rank() ? shape::of(x.dims, x.rank - 2) : shape::unknown(); }

FLOWGRAPH_INLINE shape with_axes(const shape& batch, std::initializer_list<std::int64_t> extents) {
  shape result = batch;
  for (const std::int64_t extent : extents) result.push_back(extent);
  return result;
}

FLOWGRAPH_INLINE std::int64_t smaller_extent(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return 0;
  return a < 0 || b < 0 ? -1 : a < b ? a : b;
}

FLOWGRAPH_INLINE bool has_matrices(shape_context& c, const shape& x) {
  if (!x.has_rank() || x.rank >= 2) return true;
  return fail_check(c, "expected matrices");
}

FLOWGRAPH_INLINE bool has_square_matrices(shape_context& c, const shape& x) {
  if (!has_matrices(c, x)) return false;
  if (!x.has_rank() || x[-1] < 0 || x[-2] < 0 || x[-1] == x[-2]) return true;
  return fail_check(c, "expected square matrices");
}

FLOWGRAPH_INLINE shape square_matrices_shape(shape_context& c, const shape& x) {
  if (!has_square_matrices(c, x) || !x.has_rank()) return shape::unknown();
  const std::int64_t n = x[-1] < 0 ? x[-2] : x[-1];
  return with_axes(batch_of(x), {n, n});
}

FLOWGRAPH_INLINE shape scalars_of_matrices_shape(shape_context& c, const shape& x) {
  return has_square_matrices(c, x) ? batch_of(x) : shape::unknown();
}

FLOWGRAPH_INLINE std::array<shape, 2> lu_shape(shape_context& c, const shape& x) {
  const shape result = square_matrices_shape(c, x);
  if (!result.has_rank()) return {result, result};
  return {result, with_axes(batch_of(result), {result[-1]})};
}

FLOWGRAPH_INLINE std::array<shape, 2> qr_shape(shape_context& c, const shape& x, bool full) {
  if (!has_matrices(c, x) || !x.has_rank()) return {shape::unknown(), shape::unknown()};
  const std::int64_t m = x[-2], n = x[-1], k = full ? m : smaller_extent(m, n);
  return {with_axes(batch_of(x), {m, k}), with_axes(batch_of(x), {k, n})};
}

FLOWGRAPH_INLINE shape equations_shape(shape_context& c, const shape& a, const shape& b) {
  if (!has_square_matrices(c, a) || !has_matrices(c, b)) return shape::unknown();
  if (!a.has_rank() || !b.has_rank()) return shape::unknown();
  if (!fits(batch_of(a), batch_of(b))) return c.fail("the axes before the matrices differ");
  const std::int64_t n = a[-1] < 0 ? a[-2] : a[-1];
  if (n >= 0 && b[-2] >= 0 && n != b[-2]) return c.fail("the matrices have different numbers of rows");
  return with_axes(merged(batch_of(a), batch_of(b)), {n < 0 ? b[-2] : n, b[-1]});
}

FLOWGRAPH_INLINE shape triangular_equations_shape(shape_context& c, const shape& a, const shape& b) {
  if (!has_square_matrices(c, a) || !has_matrices(c, b)) return shape::unknown();
  if (!a.has_rank() || !b.has_rank()) return shape::unknown();
  shape batch;
  if (!broadcast(batch_of(a), batch_of(b), batch)) return c.fail("the axes before the matrices do not broadcast");
  const std::int64_t n = a[-1] < 0 ? a[-2] : a[-1];
  if (n >= 0 && b[-2] >= 0 && n != b[-2]) return c.fail("the matrices have different numbers of rows");
  return with_axes(batch, {n < 0 ? b[-2] : n, b[-1]});
}

FLOWGRAPH_INLINE shape least_squares_shape(shape_context& c, const shape& a, const shape& b, const shape& l2) {
  if (!fits(l2, {})) return c.fail("l2_regularizer must be a scalar");
  if (!has_matrices(c, a) || !has_matrices(c, b)) return shape::unknown();
  if (!a.has_rank() || !b.has_rank()) return shape::unknown();
  if (!fits(batch_of(a), batch_of(b))) return c.fail("the axes before the matrices differ");
  if (a[-2] >= 0 && b[-2] >= 0 && a[-2] != b[-2]) return c.fail("the matrices have different numbers of rows");
  return with_axes(merged(batch_of(a), batch_of(b)), {a[-1], b[-1]});
}

}  // namespace flowgraph::detail
