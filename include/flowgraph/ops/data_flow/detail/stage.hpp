#pragma once

#include <flowgraph/ops/data_flow/stage.hpp>
#include <flowgraph/ops/data_flow/detail/stage_state.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_KERNEL_INLINE void check_limits(shape_context& c, const stage_attributes& a) {
  if (a.capacity < 0) c.fail("capacity must not be negative");
  if (a.memory_limit < 0) c.fail("memory_limit must not be negative");
}

FLOWGRAPH_KERNEL_INLINE void take_staged(cpu ctx, const typed_stage_attributes& a, stage_state::wish::act what, std::size_t index,
                                         done answer) {
  const resource area = find_stage(ctx, a);
  if (ctx.failed()) return answer();
  auto w = std::make_shared<stage_state::wish>(ctx, std::move(answer), what);
  w->key = static_cast<std::int64_t>(index);
  w->types = a.dtypes;
  area.as<stage_state>()->submit(w);
}

}  // namespace detail

FLOWGRAPH_KERNEL_INLINE shape_list stage_op::shape(shape_context& c, std::span<const flowgraph::shape>) const {
  detail::check_limits(c, *this);
  return {};
}
FLOWGRAPH_KERNEL_INLINE void stage_op::operator()(cpu ctx, any_list values, done answer) const {
  const resource area = detail::find_stage(ctx, *this);
  if (ctx.failed()) return answer();
  detail::staged_list kept = detail::kept_inputs(ctx, values);
  if (ctx.failed()) return answer();
  auto w = std::make_shared<detail::stage_state::wish>(ctx, std::move(answer), detail::stage_state::wish::act::put);
  w->list = std::move(kept);
  area.as<detail::stage_state>()->put(std::move(w));
}

FLOWGRAPH_KERNEL_INLINE shape_list unstage_op::shape(shape_context& c) const {
  detail::check_limits(c, *this);
  return shape_list(dtypes.size(), flowgraph::shape::unknown());
}
FLOWGRAPH_KERNEL_INLINE void unstage_op::operator()(cpu ctx, any_output_list, done answer) const {
  detail::take_staged(ctx, *this, detail::stage_state::wish::act::get, 0, std::move(answer));
}

FLOWGRAPH_KERNEL_INLINE shape_list stage_peek_op::shape(shape_context& c, const flowgraph::shape& index) const {
  detail::check_limits(c, *this);
  if (!fits(index, {})) c.fail("index must be a scalar");
  return shape_list(dtypes.size(), flowgraph::shape::unknown());
}
FLOWGRAPH_KERNEL_INLINE void stage_peek_op::operator()(cpu ctx, view<const std::int32_t> index, any_output_list,
                                                       done answer) const {
  if (index.scalar() < 0) return answer(detail::invalid_argument({"index must not be negative, found ", index.scalar()}));
  const auto at = static_cast<std::size_t>(index.scalar());
  detail::take_staged(ctx, *this, detail::stage_state::wish::act::peek, at, std::move(answer));
}

FLOWGRAPH_KERNEL_INLINE flowgraph::shape stage_size_op::shape(shape_context& c) const {
  detail::check_limits(c, *this);
  return {};
}
FLOWGRAPH_KERNEL_INLINE void stage_size_op::operator()(cpu ctx, view<std::int32_t> size) const {
  const resource area = detail::find_stage(ctx, *this);
  if (!ctx.failed()) size.scalar() = static_cast<std::int32_t>(area.as<detail::stage_state>()->size());
}

FLOWGRAPH_KERNEL_INLINE void stage_clear_op::operator()(cpu ctx) const {
  const resource area = detail::find_stage(ctx, *this);
  if (!ctx.failed()) area.as<detail::stage_state>()->clear();
}

}  // namespace flowgraph
