#pragma once

#include <flowgraph/ops/array/detail/gather_rows.hpp>
#include <flowgraph/ops/state/detail/gather_layout.hpp>
#include <flowgraph/ops/state/detail/scatter_rows.hpp>
#include <flowgraph/ops/state/resource_variable.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <class T> void var_handle_op::operator()(cpu ctx, unsized<resource> y) const {
  const resource named = detail::find_variable(ctx, dtype_of<T>, declared, container, shared_name);
  if (!named.base) return;
  const view<resource> handle = y.resize(flowgraph::shape{});
  if (!ctx.failed()) handle.scalar() = named;
}

template <class T> void read_variable_op::operator()(cpu ctx, view<const resource> handle, unsized<T> y) const {
  variable_state* v = detail::variable_of_handle(ctx, handle, dtype_of<T>);
  if (!v) return;
  any_tensor value = ctx.read(*v);
  if (!value.has_value()) return detail::fail_uninitialized(ctx, 0, error_code::failed_precondition);
  y.share(std::move(value));
}

template <class T> void assign_variable_op::operator()(cpu ctx, variable_handle<T> v, view<const T>) const {
  detail::assign_value(ctx, v.state(), ctx.input(1), validate_shape);
}
template <class T> void assign_add_variable_op::operator()(cpu ctx, variable_handle<T> v, view<const T> value) const {
  detail::change_value<functor::add>(ctx, v, value);
}
template <class T> void assign_sub_variable_op::operator()(cpu ctx, variable_handle<T> v, view<const T> value) const {
  detail::change_value<functor::sub>(ctx, v, value);
}

template <class T, class I>
void resource_gather_op::operator()(cpu ctx, view<const resource> handle, index_view<I> indices, unsized<T> y) const {
  variable_state* v = detail::variable_of_handle(ctx, handle, dtype_of<T>);
  if (!v) return;
  const any_tensor value = ctx.read(*v);
  if (!value.has_value()) return detail::fail_uninitialized(ctx, 0, error_code::not_found);
  detail::gather_sizes sizes{};
  const flowgraph::shape result = detail::layout_gather(ctx, value.shape(), indices.shape(), batch_dims, sizes);
  if (ctx.failed() || !detail::check_rows(ctx, detail::row_indices(indices), sizes.extent)) return;
  const view<T> rows = y.resize(result);
  if (ctx.failed()) return;
  const T* from = value.as<T>().data();
  if constexpr (is_counted(dtype_of<T>)) detail::gather_rows_of(ctx, from, indices, rows.data(), sizes);
  else detail::gather_rows(ctx, detail::layout_of<T>, from, indices, rows.data(), sizes);
}

template <class T, class I>
void resource_scatter_update_op::operator()(cpu ctx, variable_handle<T> v, index_view<I> indices, view<const T> updates) const {
  detail::scatter_assign(ctx, v, detail::row_indices(indices), updates);
}
template <class T, class I>
void resource_scatter_add_op::operator()(cpu ctx, variable_handle<T> v, index_view<I> indices, view<const T> updates) const {
  detail::scatter_change<functor::add>(ctx, v, detail::row_indices(indices), updates);
}
template <class T, class I>
void resource_scatter_sub_op::operator()(cpu ctx, variable_handle<T> v, index_view<I> indices, view<const T> updates) const {
  detail::scatter_change<functor::sub>(ctx, v, detail::row_indices(indices), updates);
}

FLOWGRAPH_KERNEL_INLINE void var_is_initialized_op::operator()(cpu, view<const resource> handle, view<bool> y) const {
  variable_state* v = handle.size() == 1 ? handle.scalar().as<variable_state>() : nullptr;
  y.scalar() = v && v->read().has_value();
}

FLOWGRAPH_KERNEL_INLINE flowgraph::shape detail::layout_gather(cpu ctx, const flowgraph::shape& variable,
                                                               const flowgraph::shape& indices, std::int64_t batch_dims,
                                                               gather_sizes& sizes) {
  const auto batch = static_cast<int>(batch_dims < 0 ? batch_dims + indices.rank : batch_dims);
  bool agree = batch >= 0 && batch <= indices.rank && batch < variable.rank;
  for (int i = 0; agree && i < batch; ++i) agree = variable[i] == indices[i];
  if (!agree) {
    ctx.fail(message{"the first ", batch_dims, " axes of variable ", variable, " and indices ", indices,
                     " must agree, and the variable must have one more"});
    return shape::unknown();
  }
  sizes = {product_of(variable, 0, batch), 1, variable[batch], product_of(variable, batch + 1, variable.rank),
           product_of(indices, batch, indices.rank)};
  flowgraph::shape result = indices;
  for (int i = batch + 1; i < variable.rank; ++i) result.push_back(variable[i]);
  if (result.rank < 0) ctx.fail(message{"a tensor has at most ", shape::max_rank, " axes"});
  return result;
}

}  // namespace flowgraph
