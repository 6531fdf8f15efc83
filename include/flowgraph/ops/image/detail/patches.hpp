#pragma once

#include <flowgraph/ops/image/patches.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::patches_shape(shape_context& c, const window_terms& t,
                                                                   std::span<const std::int64_t> sizes, const shape& x) {
  const int rank = static_cast<int>(t.strides.size());
  if (!one_an_axis(c, sizes, rank, "ksizes")) return shape::unknown();
  const windows w = windows_of(c, t, shape::of(sizes.data(), rank));
  if (c.failed()) return shape::unknown();
  if (sizes[0] != 1 || sizes.back() != 1) return c.fail("ksizes must be 1 for the batch and for the channels");
  if (!fits(x, shape::unknown_of_rank(rank))) return c.fail(message{"expected ", rank, " axes"});
  shape result = merged(x, shape::unknown_of_rank(rank));
  for (int axis = 1; axis + 1 < rank; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    result[axis] = window_outputs(c, w[at], result[axis], t.padding);
    if (c.failed()) return shape::unknown();
    if (result[-1] < 0) continue;
    const std::int64_t factors[2] = {result[-1], w[at].size};
    result[-1] = checked_product(factors, factors + 2);
    if (result[-1] < 0) return c.fail("the patches have too many elements");
  }
  return result;
}

namespace detail {

// One axis of a volume, and the windows along it.
struct patch_axis {
  std::int64_t extent = 1, outputs = 1, size = 1, step = 1, rate = 1, start = 0;

  std::int64_t place(std::int64_t output, std::int64_t k) const { return output * step - start + k * rate; }
};

struct patch_sizes {
  std::int64_t images, depth;
  patch_axis axes[3];  // planes, rows and columns; images have one plane
};

FLOWGRAPH_COLD inline patch_sizes patch_sizes_of(const window_terms& t, std::span<const std::int64_t> sizes, const shape& x,
                                                 const shape& y) {
  patch_sizes s{x[0], x[-1], {}};
  for (int axis = 1; axis + 1 < x.rank; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    const window w{sizes[at], t.strides[at], t.dilations.empty() ? 1 : t.dilations[at]};
    s.axes[axis + 4 - x.rank] = {x[axis], y[axis], w.size, w.step, w.dilation, w.start(x[axis], t.padding)};
  }
  return s;
}

// Copies the patch of one pixel of the output.
template <class T> void copy_patch(const patch_sizes& s, const T* image, const std::int64_t (&at)[3], T* y) {
  const patch_axis &planes = s.axes[0], &rows = s.axes[1], &columns = s.axes[2];
  const std::int64_t row_size = columns.size * s.depth;
  for (std::int64_t p = 0; p < planes.size; ++p) {
    const std::int64_t plane = planes.place(at[0], p);
    for (std::int64_t r = 0; r < rows.size; ++r, y += row_size) {
      const std::int64_t row = rows.place(at[1], r);
      if (plane < 0 || plane >= planes.extent || row < 0 || row >= rows.extent) {
        std::fill_n(y, row_size, T());
        continue;
      }
      const T* const from = image + (plane * rows.extent + row) * columns.extent * s.depth;
      for (std::int64_t c = 0; c < columns.size; ++c) {
        const std::int64_t column = columns.place(at[2], c);
        if (column < 0 || column >= columns.extent) std::fill_n(y + c * s.depth, s.depth, T());
        else std::copy_n(from + column * s.depth, s.depth, y + c * s.depth);
      }
    }
  }
}

template <class T> void copy_patches(cpu ctx, const patch_sizes& s, const T* x, view<T> y) {
  const patch_axis &planes = s.axes[0], &rows = s.axes[1], &columns = s.axes[2];
  const std::int64_t patch = y.dim(-1), image = planes.extent * rows.extent * columns.extent * s.depth;
  if (y.size() == 0) return;
  const std::int64_t pixels = static_cast<std::int64_t>(y.size()) / patch;
  ctx.parallel_ranges(pixels, std::max<std::int64_t>(1, (1 << 14) / patch), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t row = i / columns.outputs, plane = row / rows.outputs;
      const std::int64_t at[3] = {plane % planes.outputs, row % rows.outputs, i % columns.outputs};
      copy_patch(s, x + plane / planes.outputs * image, at, y.data() + i * patch);
    }
  });
}

}  // namespace detail

template <class T> void extract_image_patches_op::operator()(cpu ctx, view<const T> x, view<T> y) const {
  detail::copy_patches(ctx, detail::patch_sizes_of(terms(), ksizes, x.shape(), y.shape()), x.data(), y);
}
template <class T> void extract_volume_patches_op::operator()(cpu ctx, view<const T> x, view<T> y) const {
  detail::copy_patches(ctx, detail::patch_sizes_of(terms(), ksizes, x.shape(), y.shape()), x.data(), y);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
