#pragma once

#include <flowgraph/ops/data_flow/barrier.hpp>
#include <flowgraph/ops/data_flow/detail/barrier_state.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_KERNEL_INLINE void barrier_op::operator()(cpu ctx, reference_out<std::string> handle) const {
  if (capacity != -1) return ctx.fail(message{"capacity must be -1, found ", capacity});
  detail::find_barrier(ctx, {component_types, shapes}, container, shared_name);
  detail::hand_out(ctx, container, shared_name, handle);
}

FLOWGRAPH_KERNEL_INLINE shape_list barrier_insert_many_op::shape(shape_context& c, const flowgraph::shape&,
                                                                 const flowgraph::shape& keys,
                                                                 const flowgraph::shape& values) const {
  if (keys.has_rank() && keys.rank != 1) c.fail("keys must be a vector");
  else if (values.rank == 0) c.fail("values must be rows, of rank 1 or more");
  else if (keys.rank == 1 && values.rank > 0 && keys[0] >= 0 && values[0] >= 0 && keys[0] != values[0])
    c.fail("there must be a key for each row of values");
  return {};
}
template <class T>
void barrier_insert_many_op::operator()(cpu ctx, reference_in<std::string>, view<const std::string> keys, view<const T>) const {
  detail::insert_into_barrier(ctx, keys, component_index);
}

FLOWGRAPH_KERNEL_INLINE shape_list barrier_take_many_op::shape(shape_context& c, const flowgraph::shape&,
                                                               const flowgraph::shape& num_elements) const {
  if (timeout_ms != -1) c.fail("timeout_ms must be -1: other values are not supported; set a deadline for the run");
  if (!fits(num_elements, {})) c.fail("num_elements must be a scalar");
  shape_list shapes(component_types.size() + 2, flowgraph::shape::unknown());
  shapes[0] = shapes[1] = {any.extent};
  return shapes;
}
FLOWGRAPH_KERNEL_INLINE void barrier_take_many_op::operator()(cpu ctx, reference_in<std::string>,
                                                              view<const std::int32_t> num_elements, unsized<std::int64_t>,
                                                              unsized<std::string>, any_output_list, done answer) const {
  detail::take_from_barrier(ctx, component_types, num_elements, allow_small_batch, std::move(answer));
}

FLOWGRAPH_KERNEL_INLINE void barrier_close_op::operator()(cpu ctx, reference_in<std::string>) const {
  const resource named = detail::named_barrier(ctx);
  if (ctx.failed()) return;
  if (error why = named.as<detail::barrier_state>()->close(cancel_pending_enqueues)) ctx.fail(why);
}
FLOWGRAPH_KERNEL_INLINE void barrier_ready_size_op::operator()(cpu ctx, reference_in<std::string>,
                                                               view<std::int32_t> size) const {
  const resource named = detail::named_barrier(ctx);
  if (!ctx.failed()) size.scalar() = static_cast<std::int32_t>(named.as<detail::barrier_state>()->ready_size());
}
FLOWGRAPH_KERNEL_INLINE void barrier_incomplete_size_op::operator()(cpu ctx, reference_in<std::string>,
                                                                    view<std::int32_t> size) const {
  const resource named = detail::named_barrier(ctx);
  if (!ctx.failed()) size.scalar() = static_cast<std::int32_t>(named.as<detail::barrier_state>()->incomplete_size());
}

}  // namespace flowgraph
