#pragma once

#include <flowgraph/ops/linear_algebra/qr.hpp>
#include <flowgraph/ops/linear_algebra/detail/reflectors.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline matrix_batch qr_batch(const shape& x, bool full) {
  const std::int64_t m = x[-2], n = x[-1], k = std::min(m, n), columns = full ? m : k, most = std::max(n, columns);
  const std::int64_t own = m * n + m * columns + (k + panel_columns) * panel_columns + panel_memory<float>::elements(m, most);
  return {
      matrices_in(x), 2 * m * k * (n + 2 * columns), own, std::max(m, panel_columns) * panel_columns, std::max(m, panel_columns),
      most,           std::max(m, panel_columns)};
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t qr_scratch(const shape& x, bool full) { return qr_batch(x, full).scratch(); }

}  // namespace detail

template <class T> void qr_op::operator()(cpu ctx, view<const T> x, view<T> q, view<T> r) const {
  using namespace detail;
  using W = wide<T>;
  const std::int64_t columns = q.shape()[-1];
  for_each_matrix<W>(ctx, qr_batch(x.shape(), full_matrices), [&](std::int64_t i, workshop<W> w) {
    const block<const T> from = matrix_of(x, i);
    const block<W> a = w.take_matrix(from.rows, from.columns), result = w.take_matrix(from.rows, columns);
    const block<W> t = w.take_matrix(std::min(from.rows, from.columns) + panel_columns, panel_columns);
    const panel_memory<W> memory(w, from.rows, std::max(from.columns, columns));
    copy_block(from, a);
    factor_qr(w, memory, a, t);
    set_identity(result);
    multiply_by_q<W>(w, memory, a, t, result);
    copy_block(result, matrix_of(q, i));
    const block<T> upper = matrix_of(r, i);
    for (std::int64_t row = 0; row < upper.rows; ++row)
      for (std::int64_t c = 0; c < upper.columns; ++c) upper(row, c) = row <= c ? static_cast<T>(a(row, c)) : T(0);
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
