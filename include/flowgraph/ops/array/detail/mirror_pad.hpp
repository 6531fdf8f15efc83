#pragma once

#include <flowgraph/ops/array/mirror_pad.hpp>
#include <flowgraph/ops/shared/detail/integers.hpp>
#include <flowgraph/ops/array/detail/rearrange.hpp>
#include <flowgraph/ops/shared/detail/wide.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The numbers of elements before and after an axis.
struct border {
  std::int64_t before, after;
  border(const any_tensor& paddings, int axis)
      : before(integer_list(paddings)[static_cast<std::size_t>(2 * axis)]),
        after(integer_list(paddings)[static_cast<std::size_t>(2 * axis + 1)]) {}
};

// Returns the greatest border that an axis can mirror.
inline std::int64_t most_mirrored(mirror mode, std::int64_t extent) { return mode == mirror::reflect ? extent - 1 : extent; }

FLOWGRAPH_KERNEL_INLINE void mirror_elements(cpu ctx, element_layout e, mirror mode, void* y, const shape& result) {
  const any_tensor& x = ctx.input(0);
  const shape& from = x.shape();
  const std::int64_t skipped = mode == mirror::reflect ? 1 : 0;
  axis_runs axes[shape::max_rank];
  for (int i = 0; i < from.rank; ++i) {
    const border b(ctx.input(1), i);
    axes[i].push(b.before, b.before - 1 + skipped, -1);
    axes[i].push(from[i], 0, 1);
    axes[i].push(b.after, from[i] - 1 - skipped, -1);
  }
  rearrange(ctx, e, x.data(), from, axes, nullptr, y, result);
}

FLOWGRAPH_KERNEL_INLINE void pad_with(cpu ctx, element_layout e, void* y, const shape& result) {
  const any_tensor& x = ctx.input(0);
  axis_runs axes[shape::max_rank];
  for (int i = 0; i < result.rank; ++i) {
    const border b(ctx.input(1), i);
    axes[i].push(b.before, 0, 0);
    axes[i].push(x.shape()[i], 0, 1);
    axes[i].push(b.after, 0, 0);
  }
  rearrange(ctx, e, x.data(), x.shape(), axes, ctx.input(2).data(), y, result);
}

// The places of element k in the padded axis: its own place, and its images in the border before and in the one behind.
struct mirrored_places {
  std::int64_t at[3];
  int count = 1;

  mirrored_places(const border& b, mirror mode, std::int64_t extent, std::int64_t k) : at{b.before + k} {
    const std::int64_t skipped = mode == mirror::reflect ? 1 : 0;
    const std::int64_t left = b.before - 1 + skipped - k, right = extent - 1 - skipped - k;
    if (left >= 0 && left < b.before) at[count++] = left;
    if (right >= 0 && right < b.after) at[count++] = b.before + extent + right;
  }
};

// Calls f(beginning) for each row of dy that contains row r of dx, or a mirror image of it.
template <class F>
void for_each_mirrored_row(const any_tensor& paddings, mirror mode, const shape& dx, const shape& steps, std::int64_t r, F&& f) {
  const int outer = dx.rank - 1;
  std::int64_t images = 1;
  for (std::int64_t image = 0; image < images; ++image) {
    std::int64_t rest = r, chosen = image, at = 0, all = 1;
    for (int i = outer - 1; i >= 0; --i) {
      const mirrored_places places(border(paddings, i), mode, dx[i], rest % dx[i]);
      rest /= dx[i];
      at += places.at[chosen % places.count] * steps[i];
      chosen /= places.count;
      all *= places.count;
    }
    images = all;
    f(at);
  }
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape mirror_pad_op::shape(shape_context& c, const flowgraph::shape& x,
                                                                  const flowgraph::shape& paddings) const {
  const flowgraph::shape result = pad_op{}.shape(c, x, paddings);
  const any_tensor* values = c.constant(1);
  for (int i = 0; values && !c.failed() && i < x.rank; ++i) {
    const detail::border b(*values, i);
    if (x[i] >= 0 && std::max(b.before, b.after) > detail::most_mirrored(mode, x[i]))
      return c.fail(message{"the paddings of axis ", i, " must be at most ", detail::most_mirrored(mode, x[i])});
  }
  return result;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape mirror_pad_grad_op::shape(shape_context& c, const flowgraph::shape& dy,
                                                                       const flowgraph::shape& paddings) const {
  flowgraph::shape result = pad_op{}.shape(c, dy, paddings);
  const any_tensor* values = c.constant(1);
  for (int i = 0; !c.failed() && i < dy.rank; ++i) {
    result[i] = -1;
    if (!values || dy[i] < 0) continue;
    const detail::border b(*values, i);
    result[i] = dy[i] - b.before - b.after;
    if (result[i] < 1 || std::max(b.before, b.after) > detail::most_mirrored(mode, result[i]))
      return c.fail(message{"the paddings of axis ", i, ", ", b.before, " and ", b.after,
                            ", must not be larger than the part of the axis that they mirror"});
  }
  return result;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape pad_v2_op::shape(shape_context& c, const flowgraph::shape& x,
                                                              const flowgraph::shape& paddings,
                                                              const flowgraph::shape& value) const {
  if (value.rank > 0) return c.fail("constant_values must be a scalar");
  return pad_op{}.shape(c, x, paddings);
}

template <class T, class I> void mirror_pad_op::operator()(cpu ctx, view<const T>, index_view<I>, view<T> y) const {
  detail::mirror_elements(ctx, detail::layout_of<T>, mode, y.data(), y.shape());
}

template <class T, class I> void pad_v2_op::operator()(cpu ctx, view<const T>, index_view<I>, view<const T>, view<T> y) const {
  detail::pad_with(ctx, detail::layout_of<T>, y.data(), y.shape());
}

namespace detail {

template <class T>
[[gnu::noinline]] void fold_mirrored(cpu ctx, mirror mode, const T* dy, const shape& from, T* dx, const shape& result) {
  const any_tensor& paddings = ctx.input(1);
  if (result.rank == 0) {
    *dx = *dy;
    return;
  }
  if (result.size() == 0) return;
  const shape steps = row_major_steps(from);
  const std::int64_t row = result[result.rank - 1];
  const border b(paddings, result.rank - 1);
  ctx.parallel_ranges(result.size() / row, std::max<std::int64_t>(1, moved_per_block / row),
                      [&](std::int64_t first, std::int64_t last) {
                        for (std::int64_t r = first; r < last; ++r) {
                          T* to = dx + r * row;
                          std::fill_n(to, row, T{});
                          const auto add = [&](const T& e, std::int64_t k) { to[k] = narrowed<T>(widened(to[k]) + widened(e)); };
                          for_each_mirrored_row(paddings, mode, result, steps, r, [&](std::int64_t at) {
                            for (std::int64_t k = 0; k < row; ++k) add(dy[at + b.before + k], k);
                            const std::int64_t skipped = mode == mirror::reflect ? 1 : 0;
                            for (std::int64_t i = 0; i < b.before; ++i) add(dy[at + i], b.before - 1 + skipped - i);
                            for (std::int64_t i = 0; i < b.after; ++i) add(dy[at + b.before + row + i], row - 1 - skipped - i);
                          });
                        }
                      });
}

}  // namespace detail

template <class T, class I> void mirror_pad_grad_op::operator()(cpu ctx, view<const T> dy, index_view<I>, view<T> dx) const {
  detail::fold_mirrored(ctx, mode, dy.data(), dy.shape(), dx.data(), dx.shape());
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
