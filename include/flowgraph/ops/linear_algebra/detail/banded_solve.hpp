#pragma once

#include <flowgraph/ops/linear_algebra/banded_solve.hpp>
#include <flowgraph/ops/linear_algebra/detail/blocks.hpp>
#include <flowgraph/ops/linear_algebra/detail/stacked_index.hpp>
#include <flowgraph/ops/linear_algebra/detail/triangles.hpp>

#include <atomic>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape banded_equations_shape(shape_context& c, const shape& bands, const shape& b) {
  if (!has_matrices(c, bands) || !has_matrices(c, b)) return shape::unknown();
  if (!bands.has_rank() || !b.has_rank()) return shape::unknown();
  for (const shape& s : {bands, b})
    for (int i = 0; i < s.rank; ++i)
      if (s[i] == 0) return c.fail("expected tensors that are not empty");
  shape batch;
  if (!broadcast(batch_of(bands), batch_of(b), batch)) return c.fail("the axes before the matrices do not broadcast");
  if (bands[-1] >= 0 && b[-2] >= 0 && bands[-1] != b[-2]) return c.fail("the matrices have different numbers of rows");
  return with_axes(batch, {b[-2] < 0 ? bands[-1] : b[-2], b[-1]});
}

// A triangular matrix that is stored as bands.
template <class T> struct banded_triangle {
  block<const T> bands;
  bool lower, adjoint;

  const T* main() const { return bands.row(lower ? 0 : bands.rows - 1); }
  // Returns element i of the diagonal `distance` beside the main diagonal; i is the row in the stored matrix.
  T at(std::int64_t distance, std::int64_t i) const { return bands(lower ? distance : bands.rows - 1 - distance, i); }
  // TensorFlow's condition: the smallest element must be larger than zero, where NaN counts only if it is the first.
  bool is_invertible() const {
    auto least = std::abs(main()[0]);
    for (std::int64_t i = 1; i < bands.columns; ++i)
      if (const auto size = std::abs(main()[i]); size < least) least = size;
    return least > 0;
  }
  // Replaces x by the solution.
  void solve(block<T> x) const {
    const std::int64_t n = x.rows;
    const bool forward = lower != adjoint;
    for (std::int64_t s = 0; s < n; ++s) {
      const std::int64_t i = forward ? s : n - 1 - s;
      for (std::int64_t distance = 1; distance < std::min(bands.rows, s + 1); ++distance) {
        const std::int64_t other = forward ? i - distance : i + distance;
        const T element = adjoint ? conjugate_of(at(distance, other)) : at(distance, i);
        subtract_multiple(x.row(i), element, x.row(other), x.columns);
      }
      const T divisor = adjoint ? conjugate_of(main()[i]) : main()[i];
      for (std::int64_t j = 0; j < x.columns; ++j) x(i, j) /= divisor;
    }
  }
};

}  // namespace detail

template <class T> void banded_triangular_solve_op::operator()(cpu ctx, view<const T> bands, view<const T> b, view<T> x) const {
  using namespace detail;
  const std::int64_t count = matrices_in(x.shape());
  std::atomic<bool> singular = false;
  const std::int64_t work = b.shape()[-1] * bands.shape()[-1] * bands.shape()[-2];
  ctx.parallel_ranges(
      count, std::max<std::int64_t>(1, matrix_batch::work_per_block / std::max<std::int64_t>(1, work)),
      [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
          const banded_triangle<T> a{matrix_of(bands, stacked_index(bands.shape(), x.shape(), i)), lower, adjoint};
          if (!a.is_invertible()) singular.store(true, std::memory_order_relaxed);
          const block<T> result = matrix_of(x, i);
          copy_block(matrix_of(b, stacked_index(b.shape(), x.shape(), i)), result);
          a.solve(result);
        }
      });
  if (singular) ctx.fail("Input matrix is not invertible.");
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
