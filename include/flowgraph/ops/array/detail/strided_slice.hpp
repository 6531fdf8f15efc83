#pragma once

#include <flowgraph/ops/array/strided_slice.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/array/detail/strided.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline slice_bounds bounds_of(shape_context& c, const shape& begin, const shape& end, const shape& strides) {
  return {{&begin, &end, &strides}, {c.constant(1), c.constant(2), c.constant(3)}};
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape strided_slice_op::shape(shape_context& c, const flowgraph::shape& x,
                                                                     const flowgraph::shape& begin, const flowgraph::shape& end,
                                                                     const flowgraph::shape& strides) const {
  return detail::plan_strided(c, *this, x, detail::bounds_of(c, begin, end, strides)).slice;
}

template <class T, class I>
void strided_slice_op::operator()(cpu ctx, view<const T>, index_view<I>, index_view<I>, index_view<I>, view<T> y) const {
  detail::read_slice(ctx, *this, detail::layout_of<T>, ctx.input(0), y.data(), y.shape());
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape strided_slice_grad_op::shape(shape_context& c, const flowgraph::shape& extents,
                                                                          const flowgraph::shape& begin,
                                                                          const flowgraph::shape& end,
                                                                          const flowgraph::shape& strides,
                                                                          const flowgraph::shape& dy) const {
  using flowgraph::shape;
  const shape result = detail::shape_of_extents(c, 0, extents);
  if (c.failed()) return shape::unknown();
  const shape slice = detail::plan_strided(c, *this, result, detail::bounds_of(c, begin, end, strides)).slice;
  if (c.failed()) return shape::unknown();
  return fits(dy, slice) ? result : c.fail(message{"dy must have the slice's shape ", slice});
}

template <class T, class I>
void strided_slice_grad_op::operator()(cpu ctx, index_view<I>, index_view<I>, index_view<I>, index_view<I>, view<const T> dy,
                                       view<T> y) const {
  detail::strided_plan plan;
  if (!detail::plan_strided(ctx, *this, y.shape(), plan)) return;
  if (plan.slice != dy.shape()) return ctx.fail(message{"dy must have the slice's shape ", plan.slice, ", found ", dy.shape()});
  const T zero{};
  detail::fill_elements(ctx, detail::layout_of<T>, &zero, y.data(), static_cast<std::int64_t>(y.size()));
  detail::write_slice(ctx, detail::layout_of<T>, ctx.input(4), y.data(), plan);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape tensor_strided_slice_update_op::shape(shape_context& c, const flowgraph::shape& x,
                                                                                   const flowgraph::shape& begin,
                                                                                   const flowgraph::shape& end,
                                                                                   const flowgraph::shape& strides,
                                                                                   const flowgraph::shape& value) const {
  using flowgraph::shape;
  const shape slice = detail::plan_strided(c, *this, x, detail::bounds_of(c, begin, end, strides)).slice;
  if (c.failed()) return shape::unknown();
  return detail::fits_slice(value, slice) ? x : c.fail(message{"expected a value that broadcasts to the slice's shape ", slice});
}

template <class T, class I>
void tensor_strided_slice_update_op::operator()(cpu ctx, view<const T> x, index_view<I>, index_view<I>, index_view<I>,
                                                view<const T> value, view<T> y) const {
  detail::strided_plan plan;
  if (!detail::plan_strided(ctx, *this, x.shape(), plan)) return;
  if (!detail::fits_slice(value.shape(), plan.slice))
    return ctx.fail(message{"the value of shape ", value.shape(), " must broadcast to the slice's shape ", plan.slice});
  const auto size = static_cast<std::int64_t>(y.size());
  detail::copy_rows(ctx, detail::layout_of<T>, x.data(), size, y.data(), size, 1, size);
  detail::write_slice(ctx, detail::layout_of<T>, ctx.input(4), y.data(), plan);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE detail::slice_request detail::request_of(std::initializer_list<slice_spec> entries) {
  const shape count{entries.size()};
  slice_request r{tensor<std::int32_t>(count), tensor<std::int32_t>(count), tensor<std::int32_t>(count), {}};
  const auto begin = r.begin.writable(), end = r.end.writable(), strides = r.strides.writable();
  std::size_t i = 0;
  for (const slice_spec& entry : entries) {
    const auto flag = [&](bool on) { return std::int64_t{on} << i; };
    begin[i] = entry.begin;
    end[i] = entry.end;
    strides[i] = entry.step;
    r.masks.begin_mask |= flag(entry.from_first);
    r.masks.end_mask |= flag(entry.to_last);
    r.masks.ellipsis_mask |= flag(entry.what == slice_spec::form::ellipsis);
    r.masks.new_axis_mask |= flag(entry.what == slice_spec::form::new_axis);
    r.masks.shrink_axis_mask |= flag(entry.what == slice_spec::form::element);
    if (entry.what == slice_spec::form::element) end[i] = entry.begin + 1;
    if (++i == 62) break;  // more than the ops allow: they refuse it
  }
  return r;
}

}  // namespace flowgraph
