#pragma once

#include <flowgraph/ops/array/broadcast.hpp>

#include <algorithm>
#include <cstring>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

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

// Returns the size of an operand that repeats as a row of the result: its axes are the last axes of the result, perhaps behind axes
// of one element. Returns 0 for other operands.
inline std::int64_t repeated_row(const shape& operand, const shape& result) {
  std::int64_t n = 1;
  int axis = 1;
  for (; axis <= operand.rank && operand[-axis] == result[-axis]; ++axis) n *= result[-axis];
  for (; axis <= operand.rank; ++axis)
    if (operand[-axis] != 1) return 0;
  return n == 1 ? 0 : n;
}

// A loop over one operand of full size and one row that repeats. Several copies of a short row, side by side, make the loop long.
class repeated_row_loop {
public:
  repeated_row_loop(const binary_operands& o, binary_row row, std::int64_t n, bool is_left)
      : operands_(o), row_(row), is_left_(is_left), repeated_(static_cast<const std::byte*>(is_left ? o.a : o.b)), n_(n) {
    const std::int64_t bytes = n * static_cast<std::int64_t>(o.input_bytes), copies = room / bytes;
    if (copies < least_copies || o.input_bytes > most_bytes || o.y_shape->size() < 4 * n) return;
    n_ = copies * n;
    std::memcpy(copies_, repeated_, static_cast<std::size_t>(bytes));
    for (std::int64_t result = bytes; result < copies * bytes; result *= 2)
      std::memcpy(copies_ + result, copies_, static_cast<std::size_t>(std::min(result, copies * bytes - result)));
    repeated_ = copies_;
  }
  repeated_row_loop(const repeated_row_loop&) = delete;
  repeated_row_loop& operator=(const repeated_row_loop&) = delete;

  std::int64_t rows() const { return (operands_.y_shape->size() + n_ - 1) / n_; }
  std::int64_t grain() const { return std::max<std::int64_t>(1, elements_per_block / n_); }
  void run(std::int64_t first, std::int64_t last) const {
    const auto in = static_cast<std::int64_t>(operands_.input_bytes), out = static_cast<std::int64_t>(operands_.output_bytes);
    const auto* const whole = static_cast<const std::byte*>(is_left_ ? operands_.b : operands_.a);
    for (std::int64_t at = first * n_; first < last; ++first, at += n_) {
      const std::byte* const part = whole + at * in;
      row_(is_left_ ? repeated_ : part, is_left_ ? part : repeated_, static_cast<std::byte*>(operands_.y) + at * out,
           std::min(n_, operands_.y_shape->size() - at), row_form::both);
    }
  }

private:
  static constexpr std::int64_t room = 2048, least_copies = 2;
  static constexpr std::int64_t most_bytes = 16;  // of a number; texts are not copied

  const binary_operands& operands_;
  binary_row row_;
  bool is_left_;
  const std::byte* repeated_;
  std::int64_t n_;  // elements at a time
  alignas(64) std::byte copies_[room];
};

}  // namespace detail

FLOWGRAPH_INLINE void detail::run_binary(cpu ctx, const binary_operands& o, binary_row row) {
  const std::int64_t size = o.y_shape->size();
  if (size == 0) return;
  const bool is_left = *o.a_shape != *o.y_shape;
  if (*(is_left ? o.b_shape : o.a_shape) == *o.y_shape)
    if (const std::int64_t n = repeated_row(is_left ? *o.a_shape : *o.b_shape, *o.y_shape); n > 0 && n <= elements_per_block) {
      const repeated_row_loop loop(o, row, n, is_left);
      if (size <= elements_per_block) return loop.run(0, loop.rows());
      return ctx.parallel_ranges(loop.rows(), loop.grain(),
                                 [&](std::int64_t first, std::int64_t last) { loop.run(first, last); });
    }
  const shape* const shapes[] = {o.a_shape, o.b_shape};
  const broadcast_plan plan = plan_broadcast(*o.y_shape, shapes);
  const row_form form = plan.row_step(0) == 0   ? row_form::scalar_left
                        : plan.row_step(1) == 0 ? row_form::scalar_right
                                                : row_form::both;
  for_each_row(ctx, plan, [&](const broadcast_row& at) {
    row(static_cast<const std::byte*>(o.a) + at.operands[0] * o.input_bytes,
        static_cast<const std::byte*>(o.b) + at.operands[1] * o.input_bytes,
        static_cast<std::byte*>(o.y) + at.result * o.output_bytes, at.size, form);
  });
}

FLOWGRAPH_INLINE detail::repeated_axes detail::find_repeated(const shape& gradient, const shape& x, const shape& other) {
  repeated_axes result;
  if (x.is_known() && gradient == x) {
    result.known = true;
    return result;
  }
  if (!x.has_rank() || !other.has_rank()) return result;
  result.leading = std::max(0, other.rank - x.rank);
  for (int axis = 0; axis < x.rank; ++axis) {
    const int at = axis - x.rank + other.rank;
    const std::int64_t beside = at >= 0 ? other[at] : 1;
    if (x[axis] == 1 && beside != 1) result.ones.push_back(axis);
    if (x[axis] < 0 && beside != 1) return result;  // it may turn out to be 1
  }
  result.known = true;
  return result;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
