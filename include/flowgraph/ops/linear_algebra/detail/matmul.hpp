#pragma once

#include <flowgraph/ops/shared/detail/packed_matrix.hpp>
#include <flowgraph/ops/linear_algebra/detail/stacked_index.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class T> void stacked_product(cpu ctx, view<const T> x, view<const T> y, view<T> z, bool adj_x, bool adj_y) {
  if (z.size() == 0) return;
  const kernel::product_shape p = last_matrices(x.shape(), y.shape(), adj_x, adj_y);
  const auto products = static_cast<std::int64_t>(z.size()) / (p.m * p.n);
  const auto one = [&](std::int64_t i, auto&& multiply) {
    multiply(x.data() + stacked_index(x.shape(), z.shape(), i) * p.m * p.k,
             y.data() + stacked_index(y.shape(), z.shape(), i) * p.k * p.n, z.data() + i * p.m * p.n);
  };
  auto* scratch = ctx.scratch();
  if constexpr (has_level_product<T>) {
    if (product_grid(p).blocks() > 1 || products == 1) {
      for (std::int64_t i = 0; i < products; ++i)
        one(i, [&](const T* a, const T* b, T* c) { parallel_product(ctx, p, a, b, c, scratch); });
      return;
    }
  }
  const std::int64_t per_block = products_per_block(p, products);
  const std::size_t share = product_scratch(p);
  ctx.parallel_ranges(products, per_block, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      one(i, [&](const T* a, const T* b, T* c) {
        if constexpr (has_level_product<T>) product(p, a, b, c, scratch + static_cast<std::size_t>(first / per_block) * share);
        else plain_product(p, a, b, c, adj_x, adj_y);
      });
    }
  });
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t mat_mul_op::scratch(const flowgraph::shape& a,
                                                                       const flowgraph::shape& b) const {
  return detail::parallel_product_scratch(detail::last_matrices(a, b, transpose_a, transpose_b));
}

template <class T> void mat_mul_op::operator()(cpu ctx, view<const T> a, view<const T> b, view<T> y) const {
  if (y.size() == 0) return;
  kernel::product_shape p = detail::last_matrices(a.shape(), b.shape(), transpose_a, transpose_b);
  p.finish = detail::finish_of<T>(ctx);
  const T* right = b.data();
  if (const detail::packed_weights* const packed = p.m > 1 ? detail::packed_weights_of<T>(ctx) : nullptr) {
    p.is_b_packed = true;
    right = static_cast<const T*>(packed->panels.data());
  }
  detail::parallel_product(ctx, p, a.data(), right, y.data(), ctx.scratch());
}

// A single row needs wide tiles, which read b in place.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::shared_ptr<const detail::packed_weights> mat_mul_op::packed(
    const flowgraph::shape& a, const any_tensor& b) const {
  const flowgraph::shape& s = b.shape();
  if (a.rank != 2 || s.rank != 2 || b.size() == 0 || a[transpose_a ? 1 : 0] <= 1) return nullptr;
  return detail::packed_copy({s[transpose_b ? 1 : 0], s[transpose_b ? 0 : 1], transpose_b}, b);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::stacked_product_shape(shape_context& c, const shape& x, const shape& y,
                                                                           bool adj_x, bool adj_y, bool broadcasting) {
  if (!x.has_rank() || !y.has_rank()) return shape::unknown();
  if (x.rank < 2 || y.rank < 2) return c.fail("expected stacks of matrices");
  const std::int64_t k = x[adj_x ? -2 : -1], l = y[adj_y ? -1 : -2];
  if (k >= 0 && l >= 0 && k != l) return c.fail("the inner dimensions differ");
  const shape x_stack = shape::of(x.dims, x.rank - 2), y_stack = shape::of(y.dims, y.rank - 2);
  shape result;
  if (broadcasting ? !broadcast(x_stack, y_stack, result) : !fits(x_stack, y_stack))
    return c.fail("the axes before the matrices differ");
  if (!broadcasting) result = merged(x_stack, y_stack);
  result.push_back(x[adj_x ? -1 : -2]);
  result.push_back(y[adj_y ? -2 : -1]);
  return result;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t detail::stacked_product_scratch(const shape& x, const shape& y, bool adj_x,
                                                                                   bool adj_y) {
  const kernel::product_shape p = last_matrices(x, y, adj_x, adj_y);
  shape stack;
  (void)broadcast(shape::of(x.dims, x.rank - 2), shape::of(y.dims, y.rank - 2), stack);
  const std::int64_t products = stack.size(), per_block = products_per_block(p, products);
  if (product_grid(p).blocks() > 1 || products == 1) return parallel_product_scratch(p);
  return static_cast<std::size_t>((products + per_block - 1) / per_block) * product_scratch(p);
}

template <class T> void batch_mat_mul_op::operator()(cpu ctx, view<const T> x, view<const T> y, view<T> z) const {
  detail::stacked_product(ctx, x, y, z, adj_x, adj_y);
}
template <class T> void batch_mat_mul_v2_op::operator()(cpu ctx, view<const T> x, view<const T> y, view<T> z) const {
  detail::stacked_product(ctx, x, y, z, adj_x, adj_y);
}

}  // namespace flowgraph
