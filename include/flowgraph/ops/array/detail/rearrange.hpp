#pragma once
// Tensors of which every axis consists of a few runs of another tensor's axis, such as reversed, rolled, reflected and padded
// tensors; and copies of boxes of elements between tensors.

#include <flowgraph/ops/shared/detail/move.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// `size` steps along an axis: from element `from` of the source on, forwards, or backwards if `step` is -1; a filling if `step`
// is 0.
struct axis_run {
  std::int64_t size = 0, from = 0;
  int step = 0;
};
struct axis_runs {
  static constexpr int most = 3;
  axis_run runs[most];
  int count = 0;

  constexpr void push(std::int64_t size, std::int64_t from, int step) {
    if (size > 0) runs[count++] = {size, from, step};
  }
  constexpr bool is_whole(std::int64_t extent) const {
    return extent == 0 ? count == 0 : count == 1 && runs[0].step == 1 && runs[0].from == 0 && runs[0].size == extent;
  }
  // Returns the source's index; -1 within a filling.
  constexpr std::int64_t source(std::int64_t i) const {
    for (int r = 0; r < count; ++r) {
      if (i < runs[r].size) return runs[r].step == 0 ? -1 : runs[r].from + i * runs[r].step;
      i -= runs[r].size;
    }
    return -1;
  }
};

// Sets y, of shape `to`, to the elements of x that `axes` names, and to `filling` elsewhere. `from` is the shape of x and has the
// same rank.
void rearrange(cpu ctx, element_layout e, const void* x, const shape& from, const axis_runs* axes, const void* filling, void* y,
               const shape& to);

// The elements to copy: extents, and steps in both tensors along each axis. Axes that advance together become one.
struct strided_box {
  static constexpr int most = 2 * shape::max_rank;
  std::int64_t extents[most] = {1}, from_steps[most] = {1}, to_steps[most] = {1};
  int rank = 1;

  constexpr void push(std::int64_t extent, std::int64_t from_step, std::int64_t to_step) {
    if (extent == 1) return;
    if (extents[rank - 1] == 1) {
      --rank;
    } else if (from_steps[rank - 1] == from_step * extent && to_steps[rank - 1] == to_step * extent) {
      extents[rank - 1] *= extent;
      from_steps[rank - 1] = from_step;
      to_steps[rank - 1] = to_step;
      return;
    }
    extents[rank] = extent;
    from_steps[rank] = from_step;
    to_steps[rank++] = to_step;
  }
};
void copy_box(cpu ctx, element_layout e, const void* from, void* to, const strided_box& box);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/array/impl/rearrange.hpp>
#endif
