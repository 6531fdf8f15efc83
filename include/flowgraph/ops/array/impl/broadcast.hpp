#pragma once

#include <flowgraph/ops/array/broadcast.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Adds an innermost axis, or widens the last axis if every operand can advance over both as over one.
inline void append_axis(broadcast_plan& plan, std::int64_t extent, const std::int64_t* steps, int operands) {
  bool joins = plan.rank > 0;
  for (int k = 0; k < operands; ++k) joins = joins && plan.steps[k][plan.rank - 1] == steps[k] * extent;
  if (joins) plan.extents[plan.rank - 1] *= extent;
  else plan.extents[plan.rank++] = extent;
  for (int k = 0; k < operands; ++k) plan.steps[k][plan.rank - 1] = steps[k];
}

}  // namespace detail

FLOWGRAPH_INLINE detail::broadcast_plan detail::plan_broadcast(const shape& result, std::span<const shape* const> operands) {
  const int count = static_cast<int>(operands.size());
  std::int64_t steps[shape::max_rank][broadcast_plan::max_operands];
  for (int k = 0; k < count; ++k) {
    const shape& s = *operands[static_cast<std::size_t>(k)];
    std::int64_t step = 1;
    for (int axis = result.rank - 1, own = s.rank - 1; axis >= 0; --axis, --own) {
      const std::int64_t extent = own >= 0 ? s.dims[own] : 1;
      steps[axis][k] = extent == 1 ? 0 : step;
      step *= extent;
    }
  }
  broadcast_plan plan;
  for (int axis = 0; axis < result.rank; ++axis)
    if (result.dims[axis] != 1) append_axis(plan, result.dims[axis], steps[axis], count);
  if (plan.rank == 0) {
    constexpr std::int64_t ones[broadcast_plan::max_operands] = {1, 1, 1};
    append_axis(plan, 1, ones, count);
  }
  return plan;
}

FLOWGRAPH_INLINE void detail::for_each_block(cpu ctx, std::int64_t size, function_ref<void(std::int64_t, std::int64_t)> block) {
  ctx.parallel_ranges(size, elements_per_block, block);
}

FLOWGRAPH_INLINE void detail::for_each_row(cpu ctx, const broadcast_plan& plan, function_ref<void(const broadcast_row&)> row) {
  constexpr int operands = broadcast_plan::max_operands;
  const int outer = plan.rank - 1;
  const std::int64_t n = plan.row_size();
  std::int64_t rows = 1;
  for (int axis = 0; axis < outer; ++axis) rows *= plan.extents[axis];
  if (rows == 1) {
    return for_each_block(ctx, n, [&](std::int64_t first, std::int64_t last) {
      broadcast_row part{{}, first, last - first};
      for (int k = 0; k < operands; ++k) part.operands[k] = first * plan.row_step(k);
      row(part);
    });
  }
  ctx.parallel_ranges(rows, std::max<std::int64_t>(1, elements_per_block / n), [&](std::int64_t first, std::int64_t last) {
    broadcast_row at{{}, first * n, n};
    std::int64_t index[shape::max_rank], rest = first;
    for (int axis = outer - 1; axis >= 0; --axis) {
      index[axis] = rest % plan.extents[axis];
      rest /= plan.extents[axis];
      for (int k = 0; k < operands; ++k) at.operands[k] += index[axis] * plan.steps[k][axis];
    }
    for (std::int64_t r = first;;) {
      row(at);
      if (++r == last) return;
      at.result += n;
      for (int axis = outer - 1;; --axis) {
        const bool wraps = ++index[axis] == plan.extents[axis];
        const std::int64_t moved = wraps ? 1 - plan.extents[axis] : 1;
        for (int k = 0; k < operands; ++k) at.operands[k] += moved * plan.steps[k][axis];
        if (!wraps) break;
        index[axis] = 0;
      }
    }
  });
}

namespace detail {

// Returns whether the operand repeats as a row of the result: its axes are the last axes of the result.
inline bool is_row_of(const shape& operand, const shape& result) {
  if (operand.size() == 1) return false;
  const int lacks = result.rank - operand.rank;
  for (int axis = 0; axis < operand.rank; ++axis)
    if (operand.dims[axis] != result.dims[axis + lacks]) return false;
  return true;
}

}  // namespace detail

FLOWGRAPH_INLINE void detail::run_binary(cpu ctx, const binary_operands& o, binary_row row) {
  const std::int64_t size = o.y_shape->size();
  if (size == 0) return;
  const auto part = [&](std::int64_t a, std::int64_t b, std::int64_t y, std::int64_t n, row_form form) {
    row(static_cast<const std::byte*>(o.a) + a * o.input_bytes, static_cast<const std::byte*>(o.b) + b * o.input_bytes,
        static_cast<std::byte*>(o.y) + y * o.output_bytes, n, form);
  };
  if (size <= elements_per_block && *o.a_shape == *o.y_shape && is_row_of(*o.b_shape, *o.y_shape)) {
    const std::int64_t n = o.b_shape->size();
    for (std::int64_t at = 0; at < size; at += n) part(at, 0, at, n, row_form::both);
    return;
  }
  const shape* const shapes[] = {o.a_shape, o.b_shape};
  const broadcast_plan plan = plan_broadcast(*o.y_shape, shapes);
  const row_form form = plan.row_step(0) == 0   ? row_form::scalar_left
                        : plan.row_step(1) == 0 ? row_form::scalar_right
                                                : row_form::both;
  for_each_row(ctx, plan, [&](const broadcast_row& at) { part(at.operands[0], at.operands[1], at.result, at.size, form); });
}

FLOWGRAPH_INLINE detail::repeated_axes detail::find_repeated(const shape& gradient, const shape& x, const shape& other) {
  repeated_axes made;
  if (x.is_known() && gradient == x) {
    made.known = true;
    return made;
  }
  if (!x.has_rank() || !other.has_rank()) return made;
  made.leading = std::max(0, other.rank - x.rank);
  for (int axis = 0; axis < x.rank; ++axis) {
    const int at = axis - x.rank + other.rank;
    const std::int64_t beside = at >= 0 ? other[at] : 1;
    if (x[axis] == 1 && beside != 1) made.ones.push_back(axis);
    if (x[axis] < 0 && beside != 1) return made;  // it may turn out to be 1
  }
  made.known = true;
  return made;
}

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
