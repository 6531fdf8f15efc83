#pragma once
// Rows of a variable chosen by index: checks and loops, for scatters and for sparse training.

#include <flowgraph/ops/shared/detail/index_list.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/state/detail/variable_access.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The rows that a call names, in the shape of its indices.
struct row_indices : index_list {
  explicit row_indices(const any_indices& v) : index_list(v), shape(v.shape()) {}
  flowgraph::shape shape;
};

// Fails with the first index that is not in [0, rows), such as "indices[1,0] = 7 is not in [0, 4)".
bool check_rows(cpu ctx, const row_indices& indices, std::int64_t rows);

// Checks the shapes. `updates` is a scalar, or has the shape indices.shape + variable.shape[1:].
bool check_scatter_shapes(cpu ctx, const shape& variable, const shape& indices, const shape& updates);

// Elements that one block of a row-wise update computes. Columns are divided, so that rows keep their order.
inline constexpr std::int64_t columns_per_block = 1 << 13;

// Calls row(to, from, n) for parts of the rows; parts of the same row come in the order of the indices. A scalar update applies
// to all rows.
template <class Row> void for_each_index(cpu ctx, const row_indices& indices, std::int64_t row_size, const Row& row) {
  ctx.parallel_ranges(row_size, columns_per_block, [&](std::int64_t first, std::int64_t last) {
    indices.for_each([&](std::int64_t i, std::int64_t to) { row(to * row_size + first, i * row_size + first, last - first); });
  });
}

// Sets `w` to the elements of a variable that a kernel may write. Returns false if the call is wrong.
template <class T, class Access>
bool begin_scatter(cpu ctx, const Access& v, const row_indices& indices, view<const T> updates, view<T>& w) {
  if (!is_usable(ctx, v)) return false;
  if (!check_scatter_shapes(ctx, v.shape(), indices.shape, updates.shape())) return false;
  if (!check_rows(ctx, indices, v.shape()[0])) return false;
  w = v.update();
  return !ctx.failed();
}

template <class Access, class T>
void scatter_assign(cpu ctx, const Access& v, const row_indices& indices, view<const T> updates) {
  view<T> w;
  if (!begin_scatter(ctx, v, indices, updates, w)) return;
  const std::int64_t row_size = product_of(v.shape(), 1, v.shape().rank);
  const bool scalar = updates.rank() == 0;
  for_each_index(ctx, indices, row_size, [&](std::int64_t to, std::int64_t from, std::int64_t n) {
    if (scalar) std::fill_n(w.data() + to, n, updates.scalar());
    else std::copy_n(updates.data() + from, n, w.data() + to);
  });
}

template <class F, class Access, class T>
void scatter_change(cpu ctx, const Access& v, const row_indices& indices, view<const T> updates) {
  view<T> w;
  if (!begin_scatter(ctx, v, indices, updates, w)) return;
  const std::int64_t row_size = product_of(v.shape(), 1, v.shape().rank);
  const bool scalar = updates.rank() == 0;
  for_each_index(ctx, indices, row_size, [&](std::int64_t to, std::int64_t from, std::int64_t n) {
    T* rows = w.data() + to;
    if (scalar) binary_row_of<F, T>(rows, updates.data(), rows, n, row_form::scalar_right);
    else binary_row_of<F, T>(rows, updates.data() + from, rows, n, row_form::both);
  });
}

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/state/impl/scatter_rows.hpp>
#endif
