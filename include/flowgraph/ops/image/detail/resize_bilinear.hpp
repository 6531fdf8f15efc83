#pragma once

#include <flowgraph/ops/image/detail/channels.hpp>
#include <flowgraph/ops/image/detail/resize_axis.hpp>
#include <flowgraph/ops/image/resize_bilinear.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// A point between two pixels of an axis.
struct blend {
  std::int64_t lower, upper;
  float share;  // of the upper pixel
};
inline blend blend_at(const resize_axis& axis, std::int64_t i) {
  const float at = axis.place(i), below = std::floor(at);
  return {axis.inside(static_cast<std::int64_t>(below)), axis.inside(static_cast<std::int64_t>(std::ceil(at))), at - below};
}

struct column_blends {
  std::int64_t count = 0, depth = 0;
  std::int64_t lower[most_columns], upper[most_columns];  // in elements of a row
  float share[most_columns];

  void set(const resize_axis& columns, std::int64_t first, std::int64_t n) {
    count = n;
    for (std::int64_t i = 0; i < n; ++i) {
      const blend b = blend_at(columns, first + i);
      lower[i] = b.lower * depth;
      upper[i] = b.upper * depth;
      share[i] = b.share;
    }
  }
};

// Interpolates along a row.
template <std::int64_t Depth, class T> void blend_columns_of(const T* x, const column_blends& w, float* y) {
  const std::int64_t depth = Depth ? Depth : w.depth;
  for (std::int64_t i = 0; i < w.count; ++i, y += depth) {
    const T *const lower = x + w.lower[i], *const upper = x + w.upper[i];
    const float share = w.share[i];
    for_channels<Depth>(depth, [&](std::int64_t c) {
      const auto left = static_cast<float>(lower[c]);
      y[c] = left + (static_cast<float>(upper[c]) - left) * share;
    });
  }
}
template <class T> void blend_columns(const void* x, const column_blends& w, float* y) {
  const T* const row = static_cast<const T*>(x);
  switch (w.depth) {
    case 1: return blend_columns_of<1>(row, w, y);
    case 3: return blend_columns_of<3>(row, w, y);
    case 4: return blend_columns_of<4>(row, w, y);
    default: return blend_columns_of<0>(row, w, y);
  }
}

inline void blend_rows(const float* __restrict upper, const float* __restrict lower, float share, std::int64_t n,
                       float* __restrict y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = upper[i] + (lower[i] - upper[i]) * share;
}

// The memory of one part contains two rows that are already interpolated along the row. If images grow, several rows of the
// result use the same rows.
inline std::int64_t blended_row_floats(std::int64_t depth) { return columns_at_once(depth) * depth; }

struct blended_rows {
  float* memory[2];
  std::int64_t which[2] = {-1, -1};

  // Returns the memory of row `row`. Calls make(memory) first if the memory does not contain the row yet. Row `keep` stays.
  template <class Make> const float* find(std::int64_t row, std::int64_t keep, const Make& make) {
    for (const int i : {0, 1})
      if (which[i] == row) return memory[i];
    const int i = which[0] == keep ? 1 : 0;
    which[i] = row;
    make(memory[i]);
    return memory[i];
  }
};

// `along_rows` interpolates a row; only this function depends on the element type.
inline void resize_bilinear_rows(cpu ctx, const resize_sizes& s, const std::byte* x, std::size_t bytes_per_element,
                                 void (*along_rows)(const void*, const column_blends&, float*), float* y) {
  const std::int64_t columns = columns_at_once(s.depth), room = blended_row_floats(s.depth);
  const std::size_t row_bytes = static_cast<std::size_t>(s.columns.from * s.depth) * bytes_per_element;
  for_parts_of_rows(
      ctx, s.images * s.rows.to, s.columns.to * s.depth, [&](std::int64_t part, std::int64_t first, std::int64_t last) {
        column_blends w;
        w.depth = s.depth;
        float* const memory = ctx.scratch<float>() + part * 2 * room;
        for (std::int64_t column = 0; column < s.columns.to; column += columns) {
          w.set(s.columns, column, std::min(columns, s.columns.to - column));
          blended_rows rows{{memory, memory + room}};
          for (std::int64_t row = first; row < last; ++row) {
            const blend b = blend_at(s.rows, row % s.rows.to);
            const std::int64_t image = row / s.rows.to * s.rows.from, above = image + b.lower, below = image + b.upper;
            const auto make = [&](std::int64_t at) {
              return [&, at](float* to) { along_rows(x + static_cast<std::size_t>(at) * row_bytes, w, to); };
            };
            const float* const upper = rows.find(above, below, make(above));
            const float* const lower = rows.find(below, above, make(below));
            blend_rows(upper, lower, b.share, w.count * s.depth, y + (row * s.columns.to + column) * s.depth);
          }
        }
      });
}

// Adds one row of the gradient to a row of the original images. `upper` and `lower`: this row is the upper or the lower one of
// the two rows.
template <class Sum>
void add_blend_slopes(const float* dy, const blend* columns, std::int64_t count, std::int64_t depth, const blend& rows,
                      bool upper, bool lower, Sum* dx) {
  const float share = rows.share, rest = 1.0f - share;
  for (std::int64_t i = 0; i < count; ++i) {
    const float column = columns[i].share, other = 1.0f - column;
    Sum *const left = dx + columns[i].lower * depth, *const right = dx + columns[i].upper * depth;
    for (std::int64_t c = 0; c < depth; ++c) {
      const float d = dy[i * depth + c];
      if (upper) {
        left[c] += static_cast<Sum>(d * rest * other);
        right[c] += static_cast<Sum>(d * rest * column);
      }
      if (lower) {
        left[c] += static_cast<Sum>(d * share * other);
        right[c] += static_cast<Sum>(d * share * column);
      }
    }
  }
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t detail::bilinear_scratch(const shape& images) {
  return images[3] <= 0 ? 0 : static_cast<std::size_t>(most_image_parts * 2 * blended_row_floats(images[3])) * sizeof(float);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t detail::bilinear_gradient_scratch(const shape& dy, const shape& x) {
  return static_cast<std::size_t>(dy[2]) * sizeof(blend) +
         static_cast<std::size_t>(most_image_parts * x[2] * dy[3]) * sizeof(float);
}

template <class T> void resize_bilinear_op::operator()(cpu ctx, view<const T> x, view<const std::int32_t>, view<float> y) const {
  if (y.size() == 0) return;
  const detail::resize_sizes s = detail::resize_sizes_of(*this, x.shape(), y.shape());
  if (s.keeps_size()) return detail::convert_to_floats(ctx, x, y);
  detail::resize_bilinear_rows(ctx, s, reinterpret_cast<const std::byte*>(x.data()), sizeof(T), &detail::blend_columns<T>,
                               y.data());
}

template <class T> void resize_bilinear_grad_op::operator()(cpu ctx, view<const float> dy, view<const T>, view<T> dx) const {
  if (dx.size() == 0) return;
  const detail::resize_sizes s = detail::resize_sizes_of(*this, dx.shape(), dy.shape());
  auto* const columns = ctx.scratch<detail::blend>();
  for (std::int64_t i = 0; i < s.columns.to; ++i) columns[i] = detail::blend_at(s.columns, i);
  float* const working = reinterpret_cast<float*>(columns + s.columns.to);
  const std::int64_t width = s.columns.from * s.depth, given = s.columns.to * s.depth;
  detail::for_parts_of_rows(
      ctx, s.images * s.rows.from, (width + given) * 2, [&](std::int64_t part, std::int64_t first, std::int64_t last) {
        for (std::int64_t at = first; at < last; ++at) {
          const std::int64_t image = at / s.rows.from, row = at % s.rows.from;
          T* const to = dx.data() + at * width;
          auto* const sums = detail::sums_of_row(to, working + part * width);
          std::fill_n(sums, width, detail::slope_sum<T>(0));
          std::int64_t i =
              detail::first_that(s.rows.to, [&](std::int64_t k) { return detail::blend_at(s.rows, k).upper >= row; });
          for (; i < s.rows.to; ++i) {
            const detail::blend b = detail::blend_at(s.rows, i);
            if (b.lower > row) break;
            detail::add_blend_slopes(dy.data() + (image * s.rows.to + i) * given, columns, s.columns.to, s.depth, b,
                                     b.lower == row, b.upper == row, sums);
          }
          detail::keep_sums(sums, to, width);
        }
      });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
