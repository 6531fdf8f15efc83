#pragma once

#include <flowgraph/ops/image/detail/channels.hpp>
#include <flowgraph/ops/image/detail/resize_axis.hpp>
#include <flowgraph/ops/image/resize_bicubic.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// A point among four pixels of an axis.
struct cubic_taps {
  std::int64_t pixel[4];
  float weight[4];
};

// Returns the weights of the nearer and the farther pixel at distance `step` / 1024, as TensorFlow's table contains them.
inline float near_weight(double a, std::int64_t step) {
  const auto x = static_cast<double>(static_cast<float>(step) / 1024);
  return static_cast<float>(((a + 2) * x - (a + 3)) * x * x + 1);
}
inline float outer_weight(double a, std::int64_t step) {
  const auto x = static_cast<double>(static_cast<float>(step) / 1024 + 1);
  return static_cast<float>(((a * x - 5 * a) * x + 8 * a) * x - 4 * a);
}

inline cubic_taps cubic_taps_at(const resize_axis& axis, std::int64_t i) {
  const float at = axis.place(i), below = std::floor(at);
  const auto pixel = static_cast<std::int64_t>(below);
  const std::int64_t step = std::lrint((at - below) * 1024);
  const double a = axis.at_centers ? -0.5 : -0.75;
  cubic_taps t{{}, {outer_weight(a, step), near_weight(a, step), near_weight(a, 1024 - step), outer_weight(a, 1024 - step)}};
  for (int k = 0; k < 4; ++k) {
    t.pixel[k] = axis.inside(pixel - 1 + k);
    if (axis.at_centers && t.pixel[k] != pixel - 1 + k) t.weight[k] = 0;
  }
  if (!axis.at_centers) return t;
  const float sum = t.weight[0] + t.weight[1] + t.weight[2] + t.weight[3];
  if (std::abs(sum) < 1000 * std::numeric_limits<float>::min()) return t;
  for (float& w : t.weight) w *= 1.0f / sum;
  return t;
}

template <class T>
void mix_rows(const void* const* rows, std::int64_t begin, std::int64_t n, const float* w, float* __restrict y) {
  const T *const a = static_cast<const T*>(rows[0]) + begin, *const b = static_cast<const T*>(rows[1]) + begin;
  const T *const c = static_cast<const T*>(rows[2]) + begin, *const d = static_cast<const T*>(rows[3]) + begin;
  const float p = w[0], q = w[1], r = w[2], s = w[3];
  for (std::int64_t i = 0; i < n; ++i)
    y[i] =
        static_cast<float>(a[i]) * p + static_cast<float>(b[i]) * q + static_cast<float>(c[i]) * r + static_cast<float>(d[i]) * s;
}

// `row` begins at pixel `begin`.
template <std::int64_t Depth>
void mix_columns_of(const float* row, std::int64_t begin, const cubic_taps* taps, std::int64_t n, std::int64_t depth,
                    float* __restrict y) {
  const std::int64_t each = Depth ? Depth : depth;
  for (std::int64_t i = 0; i < n; ++i, y += each) {
    const float* const w = taps[i].weight;
    const std::int64_t* const p = taps[i].pixel;
    const float *const a = row + (p[0] - begin) * each, *const b = row + (p[1] - begin) * each;
    const float *const c = row + (p[2] - begin) * each, *const d = row + (p[3] - begin) * each;
    for_channels<Depth>(depth, [&](std::int64_t k) { y[k] = a[k] * w[0] + b[k] * w[1] + c[k] * w[2] + d[k] * w[3]; });
  }
}
inline void mix_columns(const float* row, std::int64_t begin, const cubic_taps* taps, std::int64_t n, std::int64_t depth,
                        float* y) {
  switch (depth) {
    case 1: return mix_columns_of<1>(row, begin, taps, n, depth, y);
    case 3: return mix_columns_of<3>(row, begin, taps, n, depth, y);
    case 4: return mix_columns_of<4>(row, begin, taps, n, depth, y);
    default: return mix_columns_of<0>(row, begin, taps, n, depth, y);
  }
}

using row_mixer = void (*)(const void* const* rows, std::int64_t begin, std::int64_t n, const float* w, float* y);

inline void resize_bicubic_rows(cpu ctx, const resize_sizes& s, const std::byte* x, std::size_t bytes_per_element, row_mixer mix,
                                float* y) {
  constexpr std::int64_t columns_of_chunk = 128;
  const std::int64_t width = s.columns.from * s.depth;
  for_parts_of_rows(ctx, s.images * s.rows.to, (s.columns.to * 2 + s.columns.from) * s.depth,
                    [&](std::int64_t part, std::int64_t first, std::int64_t last) {
                      cubic_taps taps[columns_of_chunk];
                      float* const mixed = ctx.scratch<float>() + part * width;
                      for (std::int64_t column = 0; column < s.columns.to; column += columns_of_chunk) {
                        const std::int64_t n = std::min(columns_of_chunk, s.columns.to - column);
                        for (std::int64_t i = 0; i < n; ++i) taps[i] = cubic_taps_at(s.columns, column + i);
                        const std::int64_t begin = taps[0].pixel[0], end = taps[n - 1].pixel[3] + 1;
                        for (std::int64_t row = first; row < last; ++row) {
                          const cubic_taps t = cubic_taps_at(s.rows, row % s.rows.to);
                          const void* rows[4];
                          for (int k = 0; k < 4; ++k)
                            rows[k] = x + static_cast<std::size_t>((row / s.rows.to * s.rows.from + t.pixel[k]) * width) *
                                              bytes_per_element;
                          mix(rows, begin * s.depth, (end - begin) * s.depth, t.weight, mixed);
                          mix_columns(mixed, begin, taps, n, s.depth, y + (row * s.columns.to + column) * s.depth);
                        }
                      }
                    });
}

// Adds one row of the gradient to row `row` of the original images.
template <class T>
void add_cubic_slopes(const float* dy, const cubic_taps* columns, std::int64_t count, std::int64_t depth, const cubic_taps& rows,
                      std::int64_t row, T* dx) {
  for (std::int64_t i = 0; i < count; ++i) {
    const cubic_taps& column = columns[i];
    for (std::int64_t c = 0; c < depth; ++c) {
      const T d = static_cast<T>(dy[i * depth + c]);
      for (int k = 0; k < 4; ++k) {
        if (rows.pixel[k] != row) continue;
        const T weighted = d * static_cast<T>(rows.weight[k]);
        for (int j = 0; j < 4; ++j) dx[column.pixel[j] * depth + c] += weighted * static_cast<T>(column.weight[j]);
      }
    }
  }
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t detail::bicubic_scratch(const shape& images) {
  return static_cast<std::size_t>(most_image_parts * images[2] * images[3]) * sizeof(float);
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t detail::bicubic_gradient_scratch(const shape& dy) {
  return static_cast<std::size_t>(dy[2]) * sizeof(cubic_taps);
}

template <class T> void resize_bicubic_op::operator()(cpu ctx, view<const T> x, view<const std::int32_t>, view<float> y) const {
  if (y.size() == 0) return;
  const detail::resize_sizes s = detail::resize_sizes_of(*this, x.shape(), y.shape());
  detail::resize_bicubic_rows(ctx, s, reinterpret_cast<const std::byte*>(x.data()), sizeof(T), &detail::mix_rows<T>, y.data());
}

template <class T> void resize_bicubic_grad_op::operator()(cpu ctx, view<const float> dy, view<const T>, view<T> dx) const {
  if (dx.size() == 0) return;
  const detail::resize_sizes s = detail::resize_sizes_of(*this, dx.shape(), dy.shape());
  auto* const columns = ctx.scratch<detail::cubic_taps>();
  for (std::int64_t i = 0; i < s.columns.to; ++i) columns[i] = detail::cubic_taps_at(s.columns, i);
  const std::int64_t width = s.columns.from * s.depth, given = s.columns.to * s.depth;
  detail::for_parts_of_rows(
      ctx, s.images * s.rows.from, width + given * 8, [&](std::int64_t, std::int64_t first, std::int64_t last) {
        for (std::int64_t at = first; at < last; ++at) {
          const std::int64_t image = at / s.rows.from, row = at % s.rows.from;
          T* const to = dx.data() + at * width;
          std::fill_n(to, width, T(0));
          const auto taps = [&](std::int64_t k) { return detail::cubic_taps_at(s.rows, k); };
          std::int64_t i = detail::first_that(s.rows.to, [&](std::int64_t k) { return taps(k).pixel[3] >= row; });
          for (; i < s.rows.to; ++i) {
            const detail::cubic_taps t = taps(i);
            if (t.pixel[0] > row) break;
            const float* const from = dy.data() + (image * s.rows.to + i) * given;
            detail::add_cubic_slopes(from, columns, s.columns.to, s.depth, t, row, to);
          }
        }
      });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
