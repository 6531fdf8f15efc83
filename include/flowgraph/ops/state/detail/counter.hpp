#pragma once

#include <flowgraph/ops/state/detail/variable_access.hpp>
#include <flowgraph/ops/state/counter.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class Access, class T> void count(cpu ctx, const Access& v, std::int64_t limit, view<T> y) {
  if (!is_usable(ctx, v)) return;
  if (v.shape().rank != 0) return fail_shapes(ctx, "counter", {}, v.shape());
  const T now = v.values().scalar();
  if (static_cast<std::int64_t>(now) >= limit) return ctx.fail(error_code::out_of_range, message{"reached the limit of ", limit});
  const view<T> w = v.update();
  if (ctx.failed()) return;
  y.scalar() = now;
  w.scalar() = static_cast<T>(static_cast<std::make_unsigned_t<T>>(now) + 1u);
}

}  // namespace detail

template <class T> void count_up_to_op::operator()(cpu ctx, reference<T> ref, view<T> y) const {
  detail::count(ctx, ref, limit, y);
}
template <class T> void resource_count_up_to_op::operator()(cpu ctx, variable_handle<T> v, view<T> y) const {
  detail::count(ctx, v, limit, y);
}

}  // namespace flowgraph
