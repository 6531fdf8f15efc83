#pragma once

#include <flowgraph/ops/data_flow/queue.hpp>
#include <flowgraph/ops/data_flow/detail/queue_state.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_COLD inline void refuse_timeout(shape_context& c, std::int64_t milliseconds) {
  if (milliseconds != -1) c.fail("timeout_ms must be -1: other values are not supported; set a deadline for the run");
}
FLOWGRAPH_KERNEL_INLINE shape_list queue_enqueue_one::shape(shape_context& c, const flowgraph::shape&,
                                                            std::span<const flowgraph::shape>) const {
  refuse_timeout(c, timeout_ms);
  return {};
}
FLOWGRAPH_KERNEL_INLINE shape_list queue_enqueue_batch::shape(shape_context& c, const flowgraph::shape&,
                                                              std::span<const flowgraph::shape> components) const {
  refuse_timeout(c, timeout_ms);
  for (const flowgraph::shape& s : components)
    if (s.rank == 0) c.fail("the components must be batches of elements, of rank 1 or more");
  return {};
}
FLOWGRAPH_KERNEL_INLINE shape_list queue_dequeue_one::shape(shape_context& c, const flowgraph::shape&) const {
  refuse_timeout(c, timeout_ms);
  return shape_list(component_types.size(), flowgraph::shape::unknown());
}
FLOWGRAPH_KERNEL_INLINE shape_list queue_dequeue_batch::shape(shape_context& c, const flowgraph::shape&,
                                                              const flowgraph::shape& n) const {
  refuse_timeout(c, timeout_ms);
  const any_tensor* value = c.constant(1);
  if (!fits(n, {})) c.fail("n must be a scalar");
  else if (value && value->as<std::int32_t>().scalar() < 0) c.fail("n must not be negative");
  return shape_list(component_types.size(), flowgraph::shape::unknown());
}

template <class Handle>
void queue_enqueue<Handle>::operator()(cpu ctx, typename Handle::parameter, any_list components, done answer) const {
  enqueue(ctx, components, false, std::move(answer));
}
template <class Handle>
void queue_enqueue_many<Handle>::operator()(cpu ctx, typename Handle::parameter, any_list components, done answer) const {
  enqueue(ctx, components, true, std::move(answer));
}

template <class Handle>
void queue_dequeue<Handle>::operator()(cpu ctx, typename Handle::parameter, any_output_list, done answer) const {
  dequeue_one(ctx, component_types, std::move(answer));
}
template <class Handle>
void queue_dequeue_many<Handle>::operator()(cpu ctx, typename Handle::parameter, view<const std::int32_t> n, any_output_list,
                                            done answer) const {
  dequeue_batch(ctx, component_types, n, false, std::move(answer));
}
template <class Handle>
void queue_dequeue_up_to<Handle>::operator()(cpu ctx, typename Handle::parameter, view<const std::int32_t> n, any_output_list,
                                             done answer) const {
  dequeue_batch(ctx, component_types, n, true, std::move(answer));
}

template <class Handle> void queue_close<Handle>::operator()(cpu ctx, typename Handle::parameter, done answer) const {
  close_queue(ctx, cancel_pending_enqueues, std::move(answer));
}
template <class Handle> void queue_size<Handle>::operator()(cpu ctx, typename Handle::parameter, view<std::int32_t> size) const {
  const resource named = named_queue(ctx);
  if (!ctx.failed()) size.scalar() = static_cast<std::int32_t>(static_cast<queue_state*>(named.base)->size());
}
template <class Handle>
void queue_is_closed<Handle>::operator()(cpu ctx, typename Handle::parameter, view<bool> is_closed) const {
  const resource named = named_queue(ctx);
  if (!ctx.failed()) is_closed.scalar() = static_cast<queue_state*>(named.base)->is_closed();
}

}  // namespace flowgraph::detail
