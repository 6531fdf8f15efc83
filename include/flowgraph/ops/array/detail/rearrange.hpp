#pragma once
// Tensors whose every axis is a few runs of another tensor's axis, as reversed, rolled, reflected and padded ones are; and boxes
// of elements moved between tensors.

#include <flowgraph/ops/shared/detail/move.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// `size` steps along an axis: those of the source from `from` on, forwards or, with step -1, backwards; with step 0, a filling.
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
  // The source's index; -1 within a filling.
  constexpr std::int64_t source(std::int64_t i) const {
    for (int r = 0; r < count; ++r) {
      if (i < runs[r].size) return runs[r].step == 0 ? -1 : runs[r].from + i * runs[r].step;
      i -= runs[r].size;
    }
    return -1;
  }
};

// y, of shape `to`, has the elements of x, of shape `from` and the same rank, that its axes name; others are `filling`.
void rearrange(cpu ctx, element_layout e, const void* x, const shape& from, const axis_runs* axes, const void* filling, void* y,
               const shape& to);

// Which elements to copy where: along each axis, how far apart they lie in both tensors. Axes that advance as one become one.
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

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/array/impl/rearrange.hpp>
#endif
