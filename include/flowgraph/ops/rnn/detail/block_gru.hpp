#pragma once

#include <flowgraph/ops/rnn/block_gru.hpp>
#include <flowgraph/ops/rnn/detail/block_products.hpp>
#include <flowgraph/ops/shared/detail/elementwise.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The matrix `to` {batch, columns} becomes x times the first rows of w plus h times its other rows.
template <class T>
void joined_product(cpu ctx, const block_sizes& z, const T* x, const T* h, const T* w, std::int64_t columns, T* to,
                    std::byte* of_products) {
  if (z.inputs > 0)
    block_product(ctx, {z.batch, columns, z.inputs, z.inputs, columns, columns, false, false, false}, x, w, to, of_products);
  block_product(ctx, {z.batch, columns, z.units, z.units, columns, columns, false, false, z.inputs > 0}, h,
                w + z.inputs * columns, to, of_products);
}
// Calls body(row) for each row of the batch, on the threads of the run.
template <class F> void for_each_batch_row(cpu ctx, const block_sizes& z, F&& body) {
  ctx.parallel_ranges(z.batch, z.rows_per_block(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) body(r);
  });
}

}  // namespace detail

template <class T>
void gru_block_cell_op::operator()(cpu ctx, view<const T> x, view<const T> h_prev, view<const T> w_ru, view<const T> w_c,
                                   view<const T> b_ru, view<const T> b_c, view<T> r, view<T> u, view<T> c, view<T> h) const {
  if (h.size() == 0) return;
  const detail::block_sizes z(x.shape(), h_prev.shape());
  const std::int64_t n = z.units;
  T* const gates = ctx.scratch<T>();
  std::byte* const of_products = ctx.scratch() + detail::round_up_bytes(static_cast<std::size_t>(2 * z.batch * n) * sizeof(T));
  detail::joined_product(ctx, z, x.data(), h_prev.data(), w_ru.data(), 2 * n, gates, of_products);
  detail::for_each_batch_row(ctx, z, [&](std::int64_t row) {
    T* const of_row = gates + row * 2 * n;
    for (std::int64_t i = 0; i < 2 * n; ++i) of_row[i] += b_ru.data()[i];
    detail::unary_row<functor::sigmoid>(of_row, of_row, 2 * n);
    std::copy_n(of_row, n, r.data() + row * n);
    std::copy_n(of_row + n, n, u.data() + row * n);
    // h contains the part of the state that the candidate reads, until the candidate is known.
    for (std::int64_t i = row * n; i < (row + 1) * n; ++i) h.data()[i] = h_prev.data()[i] * r.data()[i];
  });
  detail::joined_product(ctx, z, x.data(), static_cast<const T*>(h.data()), w_c.data(), n, c.data(), of_products);
  detail::for_each_batch_row(ctx, z, [&](std::int64_t row) {
    T* const of_row = c.data() + row * n;
    for (std::int64_t i = 0; i < n; ++i) of_row[i] += b_c.data()[i];
    detail::unary_row<functor::tanh>(of_row, of_row, n);
    for (std::int64_t i = row * n; i < (row + 1) * n; ++i)
      h.data()[i] = u.data()[i] * (h_prev.data()[i] - c.data()[i]) + c.data()[i];
  });
}

template <class T>
void gru_block_cell_grad_op::operator()(cpu ctx, view<const T> x, view<const T> h_prev, view<const T> w_ru, view<const T> w_c,
                                        view<const T>, view<const T>, view<const T> r, view<const T> u, view<const T> c,
                                        view<const T> d_h, view<T> d_x, view<T> d_h_prev, view<T> d_c_bar,
                                        view<T> d_r_bar_u_bar) const {
  const detail::block_sizes z(x.shape(), h_prev.shape());
  const std::int64_t n = z.units;
  T* const d_hr = ctx.scratch<T>();
  std::byte* const of_products = ctx.scratch() + detail::round_up_bytes(static_cast<std::size_t>(z.batch * n) * sizeof(T));
  const auto back = [&](const T* d, std::int64_t columns, const T* w, std::int64_t wanted, T* to, bool add) {
    detail::block_product(ctx, {z.batch, wanted, columns, columns, columns, wanted, false, true, add}, d, w, to, of_products);
  };
  const T *const ru = r.data(), *const uu = u.data(), *const cc = c.data(), *const dh = d_h.data(), *const before = h_prev.data();
  detail::for_each_batch_row(ctx, z, [&](std::int64_t row) {
    for (std::int64_t i = row * n; i < (row + 1) * n; ++i) {
      d_c_bar.data()[i] = dh[i] * (1 - uu[i]) * (1 - cc[i] * cc[i]);
      d_r_bar_u_bar.data()[row * n + n + i] = dh[i] * (before[i] - cc[i]) * uu[i] * (1 - uu[i]);
    }
  });
  const T* const d_c = d_c_bar.data();
  back(d_c, n, w_c.data() + z.inputs * n, n, d_hr, false);
  detail::for_each_batch_row(ctx, z, [&](std::int64_t row) {
    for (std::int64_t i = row * n; i < (row + 1) * n; ++i) {
      d_r_bar_u_bar.data()[row * n + i] = d_hr[i] * before[i] * ru[i] * (1 - ru[i]);
      d_h_prev.data()[i] = d_hr[i] * ru[i] + dh[i] * uu[i];
    }
  });
  const T* const d_gates = d_r_bar_u_bar.data();
  if (n == 0) std::fill_n(d_x.data(), d_x.size(), T());
  if (n == 0) return;
  back(d_c, n, w_c.data(), z.inputs, d_x.data(), false);
  back(d_gates, 2 * n, w_ru.data(), z.inputs, d_x.data(), true);
  back(d_gates, 2 * n, w_ru.data() + z.inputs * 2 * n, n, d_h_prev.data(), true);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/rnn/impl/block_gru.hpp>
#endif
