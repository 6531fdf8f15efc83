#pragma once

#include <flowgraph/ops/shared/detail/segment_rows.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/array/detail/gather_rows.hpp>
#include <flowgraph/ops/array/gather.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape gather_op::shape(shape_context& c, const flowgraph::shape& params,
                                                              const flowgraph::shape& indices) const {
  using flowgraph::shape;
  if (params.rank == 0) return c.fail("params must have at least one axis");
  if (!params.has_rank() || !indices.has_rank()) return shape::unknown();
  if (params.rank - 1 + indices.rank > shape::max_rank) return c.fail("expected fewer axes");
  shape result = indices;
  for (int i = 1; i < params.rank; ++i) result.push_back(params[i]);
  return result;
}

template <class T, class I> void gather_op::operator()(cpu ctx, view<const T> params, index_view<I> indices, view<T> y) const {
  if (!detail::check_indices(ctx, indices, params.dim(0))) return;
  const auto count = static_cast<std::int64_t>(indices.size());
  const std::int64_t inner = detail::product_of(params.shape(), 1, params.rank());
  detail::gather_rows(ctx, detail::layout_of<T>, params.data(), indices, y.data(), {1, 1, params.dim(0), inner, count});
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape gather_v2_op::shape(shape_context& c, const flowgraph::shape& params,
                                                                 const flowgraph::shape& indices,
                                                                 const flowgraph::shape& axis) const {
  using flowgraph::shape;
  const auto chosen = detail::scalar_integer(c, 2, axis, "axis");
  if (params.rank == 0) return c.fail("params must have at least one axis");
  if (c.failed() || !params.has_rank() || !indices.has_rank()) return shape::unknown();
  const std::int64_t batch = batch_dims < 0 ? batch_dims + indices.rank : batch_dims;
  if (batch < 0 || batch > indices.rank || batch > params.rank) return c.fail("batch_dims must be axes of params and indices");
  const int made_rank = params.rank - 1 + indices.rank - static_cast<int>(batch);
  if (made_rank > shape::max_rank) return c.fail("expected fewer axes");
  if (!chosen) return shape::unknown_of_rank(made_rank);
  const int at = detail::normalized_axis(*chosen, params.rank);
  if (at < 0) return c.fail(detail::axis_message("axis", params.rank, *chosen));
  if (batch > at) return c.fail(message{"batch_dims must be at most axis, found ", batch, " and ", at});
  shape result;
  for (int i = 0; i < at; ++i) {
    if (i < batch && !(params[i] < 0 || indices[i] < 0 || params[i] == indices[i]))
      return c.fail(message{"params and indices must agree in axis ", i});
    result.push_back(params[i] < 0 && i < batch ? indices[i] : params[i]);
  }
  for (int i = static_cast<int>(batch); i < indices.rank; ++i) result.push_back(indices[i]);
  for (int i = at + 1; i < params.rank; ++i) result.push_back(params[i]);
  return result;
}

template <class T, class I, class A>
void gather_v2_op::operator()(cpu ctx, view<const T> params, index_view<I> indices, index_view<A> axis, view<T> y) const {
  const flowgraph::shape& p = params.shape();
  const int at = detail::normalized_axis(axis.scalar(), p.rank);
  const int batch = static_cast<int>(batch_dims < 0 ? batch_dims + indices.rank() : batch_dims);
  // If the shape rule knew only the ranks, the axis has not been checked yet.
  if (at < batch) return ctx.fail(error_code::invalid_argument, detail::axis_message("axis", p.rank, axis.scalar()));
  if (!detail::check_indices(ctx, indices, p[at])) return;
  const detail::gather_sizes sizes{detail::product_of(p, 0, batch), detail::product_of(p, batch, at), p[at],
                                   detail::product_of(p, at + 1, p.rank),
                                   detail::product_of(indices.shape(), batch, indices.rank())};
  if constexpr (is_counted(dtype_of<T>)) detail::gather_rows_of(ctx, params.data(), indices, y.data(), sizes);
  else detail::gather_rows(ctx, detail::layout_of<T>, params.data(), indices, y.data(), sizes);
}

FLOWGRAPH_KERNEL_INLINE int detail::known_axis(const any_tensor* axis, const shape& params) {
  const shape_context values(&axis, 1);
  const shape value = values.integers(0);
  if (value.rank != 1 || (value[0] < 0 && !params.has_rank())) return -1;
  return static_cast<int>(value[0] < 0 ? value[0] + params.rank : value[0]);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape unsorted_segment_sum_op::shape(shape_context& c, const flowgraph::shape& data,
                                                                            const flowgraph::shape& ids,
                                                                            const flowgraph::shape& count) const {
  using flowgraph::shape;
  if (count.rank > 0) return c.fail("num_segments must be a scalar");
  const auto segments = detail::scalar_integer(c, 2, count, "num_segments");
  if (c.failed()) return shape::unknown();
  if (segments && *segments < 0) return c.fail("num_segments must not be negative");
  if (!ids.has_rank() || !data.has_rank()) return shape::unknown();
  bool prefix = ids.rank <= data.rank;
  for (int i = 0; prefix && i < ids.rank; ++i) prefix = ids[i] < 0 || data[i] < 0 || ids[i] == data[i];
  if (!prefix) return c.fail("the shape of segment_ids must begin that of data");
  shape result{segments.value_or(-1)};
  for (int i = ids.rank; i < data.rank; ++i) result.push_back(data[i]);
  return result;
}

template <class T, class I, class N>
void unsorted_segment_sum_op::operator()(cpu ctx, view<const T> data, index_view<I> ids, index_view<N>, view<T> y) const {
  detail::reduce_unsorted_segments<detail::added_terms>(ctx, detail::index_list(ids), data, y, T{});
}

}  // namespace flowgraph
