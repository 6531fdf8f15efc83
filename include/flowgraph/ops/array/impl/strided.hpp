#pragma once

#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/array/detail/strided.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The entries of begin, end and strides.
class slice_entries {
public:
  static constexpr int most = 32;

  slice_entries(shape_context& c, const slice_bounds& bounds) {
    for (int k = 0; k < 3; ++k) {
      const shape& s = *bounds.shapes[k];
      if (s.has_rank() && s.rank != 1) c.fail("begin, end and strides must be vectors");
      if (s.rank != 1 || s[0] < 0) continue;
      if (count >= 0 && count != s[0]) c.fail("begin, end and strides must have the same number of elements");
      count = s[0];
    }
    if (count >= most) c.fail(message{"expected less than ", most, " entries"});
    if (c.failed() || count < 0) return;
    for (int k = 0; k < 3; ++k) read(bounds.values[k], k);
  }

  std::int64_t count = -1;
  bool known[3] = {};
  std::int64_t values[3][most] = {};  // of begin, end and strides

private:
  void read(const any_tensor* t, int k) {
    if (!t || !t->has_value()) return;
    known[k] = true;
    for (std::size_t i = 0; i < t->size() && i < most; ++i) {
      if (t->type() == dtype::int16) values[k][i] = t->as<std::int16_t>()[i];
      else if (t->type() == dtype::int32) values[k][i] = t->as<std::int32_t>()[i];
      else values[k][i] = t->as<std::int64_t>()[i];
    }
  }
};

// The part of one axis of x in the slice: its beginning, its step, and its number of elements; -1: not known.
struct axis_slice {
  std::int64_t first, step, extent;
};

inline axis_slice whole_axis(std::int64_t extent) { return {0, 1, extent}; }

// Returns entry i, for axis `axis` with `extent` elements.
inline axis_slice slice_axis(shape_context& c, const slice_masks& masks, const slice_entries& e, int i, int axis,
                             std::int64_t extent) {
  const auto bit = [&](std::int64_t mask) { return (mask >> i & 1) != 0; };
  const std::int64_t begin = e.values[0][i], end = e.values[1][i], step = e.known[2] ? e.values[2][i] : 1;
  const bool one = bit(masks.shrink_axis_mask), from_first = bit(masks.begin_mask), to_last = bit(masks.end_mask);
  if (step == 0) c.fail(message{"strides[", i, "] must not be zero"});
  if (one && step < 0) c.fail(message{"strides[", i, "] must be positive where one element is picked"});
  if (c.failed()) return {0, 0, -1};
  if (one) {
    if (extent < 0 || !e.known[0]) return {0, 1, 1};
    const std::int64_t at = begin < 0 ? begin + extent : begin;
    if (at >= 0 && at < extent) return {at, 1, 1};
    c.fail(message{"index ", begin, " of axis ", axis, " must lie in [", -extent, ", ", extent, ")"});
    return {0, 1, 1};
  }
  if (extent < 0 || !e.known[2] || (!from_first && !e.known[0]) || (!to_last && !e.known[1])) return {0, 1, -1};
  const std::int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? extent : extent - 1;
  const auto place = [&](std::int64_t at) { return std::clamp(at < 0 ? at + extent : at, lowest, highest); };
  const std::int64_t first = from_first ? (step > 0 ? lowest : highest) : place(begin);
  const std::int64_t last = to_last ? (step > 0 ? highest : lowest) : place(end);
  const std::int64_t distance = last - first;
  if (distance == 0 || (distance < 0) != (step < 0)) return {0, 1, 0};
  const std::int64_t n = distance / step + (distance % step != 0);
  return {first, n > 1 ? step : 1, n};
}

}  // namespace detail

FLOWGRAPH_INLINE detail::strided_plan detail::plan_strided(shape_context& c, const slice_masks& masks, const shape& x,
                                                           const slice_bounds& bounds) {
  strided_plan plan;
  const slice_entries entries(c, bounds);
  const int count =
      c.failed() ? -1 : static_cast<int>(entries.count);  // the masks have a bit for each entry of a list that is allowed
  const auto bit = [&](std::int64_t mask, int i) { return (mask >> i & 1) != 0; };
  int ellipsis = count;  // without an ellipsis: at the end
  for (int i = 0; i < count; ++i) {
    if (!bit(masks.ellipsis_mask, i)) continue;
    if (ellipsis != count) c.fail("expected at most one ellipsis");
    ellipsis = i;
  }
  if (c.failed() || count < 0 || !x.has_rank()) {
    plan.slice = shape::unknown();
    return plan;
  }
  int named_after = 0;  // axes of x
  for (int i = ellipsis + 1; i < count; ++i) named_after += !bit(masks.new_axis_mask, i);

  const shape tensor_steps = row_major_steps(x);
  int axis = 0;
  const auto take = [&](const axis_slice& a, bool keep) {
    plan.first = wrapped_sum(plan.first, wrapped_product(a.first, tensor_steps[axis]));
    if (keep) {
      plan.slice.push_back(a.extent);
      plan.steps.push_back(wrapped_product(a.step, tensor_steps[axis]));
    }
    ++axis;
  };
  for (int i = 0; i <= count; ++i) {
    if (i == ellipsis) {
      while (axis < x.rank - named_after) take(whole_axis(x[axis]), true);
    } else if (i < count && bit(masks.new_axis_mask, i)) {
      plan.slice.push_back(1);
      plan.steps.push_back(0);
    } else if (i < count) {
      if (axis >= x.rank) c.fail(message{"expected at most ", x.rank, " entries that name an axis"});
      if (c.failed()) break;
      take(slice_axis(c, masks, entries, i, axis, x[axis]), !bit(masks.shrink_axis_mask, i));
    }
    if (!plan.slice.has_rank()) c.fail(message{"a tensor has at most ", shape::max_rank, " axes"});
  }
  if (c.failed()) plan.slice = shape::unknown();
  return plan;
}

FLOWGRAPH_INLINE bool detail::plan_strided(cpu ctx, const slice_masks& masks, const shape& x, strided_plan& plan) {
  slice_bounds bounds{};
  for (std::size_t k = 0; k < 3; ++k) {
    bounds.values[k] = &ctx.input(k + 1);
    bounds.shapes[k] = &ctx.input(k + 1).shape();
  }
  shape_context c;
  plan = plan_strided(c, masks, x, bounds);
  if (c.failed()) ctx.fail(message{c.message(), "; found a tensor of shape ", x});
  return !c.failed();
}

FLOWGRAPH_INLINE bool detail::fits_slice(const shape& value, const shape& result) {
  if (!value.has_rank() || !result.has_rank()) return true;
  for (int i = 0; i < result.rank; ++i)
    if (result[i] == 0) return true;
  for (int i = 0; i < value.rank; ++i) {
    const int at = result.rank - value.rank + i;
    const bool fitting =
        at < 0 ? value[i] == 1 || value[i] < 0 : value[i] == 1 || value[i] < 0 || result[at] < 0 || value[i] == result[at];
    if (!fitting) return false;
  }
  return true;
}

FLOWGRAPH_INLINE void detail::read_slice(cpu ctx, const slice_masks& masks, element_layout e, const any_tensor& x, void* y,
                                         const shape& y_shape) {
  strided_plan plan;
  if (!plan_strided(ctx, masks, x.shape(), plan)) return;
  if (plan.slice != y_shape)
    return ctx.fail(error_code::internal, message{"the slice has shape ", plan.slice, ", expected ", y_shape});
  if (y_shape.size() == 0) return;
  strided_axes axes;
  for (int i = 0; i < plan.slice.rank; ++i) axes.push(plan.slice[i], plan.steps[i]);
  copy_strided(ctx, e, element_at(e, x.data(), plan.first), axes, y);
}

FLOWGRAPH_INLINE void detail::write_slice(cpu ctx, element_layout e, const any_tensor& value, void* y, const strided_plan& plan) {
  if (plan.slice.size() == 0) return;
  // The axes with a step, of the value and of the slice; axes that advance together become one.
  std::int64_t extents[shape::max_rank + 1] = {1}, from_steps[shape::max_rank + 1] = {}, to_steps[shape::max_rank + 1] = {};
  int rank = 1;
  const shape value_steps = row_major_steps(value.shape());
  for (int i = 0; i < plan.slice.rank; ++i) {
    const std::int64_t n = plan.slice[i];
    const int at = i - plan.slice.rank + value.shape().rank;
    const std::int64_t from = at >= 0 && value.shape()[at] != 1 ? value_steps[at] : 0, to = plan.steps[i];
    if (n == 1) continue;
    if (extents[rank - 1] == 1) --rank;
    else if (from_steps[rank - 1] == from * n && to_steps[rank - 1] == to * n) {
      extents[rank - 1] *= n;
      from_steps[rank - 1] = from;
      to_steps[rank - 1] = to;
      continue;
    }
    extents[rank] = n;
    from_steps[rank] = from;
    to_steps[rank++] = to;
  }
  const std::int64_t row = extents[rank - 1], from_step = from_steps[rank - 1], to_step = to_steps[rank - 1];
  visit_layout(e, [&]<class Unit>() {
    const auto* from = static_cast<const Unit*>(value.data());
    auto* to = static_cast<Unit*>(y) + plan.first;
    ctx.parallel_ranges(plan.slice.size(), moved_per_block, [&](std::int64_t first, std::int64_t last) {
      while (first < last) {
        std::int64_t rest = first / row, source = first % row * from_step, target = first % row * to_step;
        const std::int64_t n = std::min(row - first % row, last - first);
        for (int i = rank - 2; i >= 0; --i) {
          source += rest % extents[i] * from_steps[i];
          target += rest % extents[i] * to_steps[i];
          rest /= extents[i];
        }
        for (std::int64_t i = 0; i < n; ++i) to[target + i * to_step] = from[source + i * from_step];
        first += n;
      }
    });
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
