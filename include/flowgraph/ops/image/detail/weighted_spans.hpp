#pragma once
// Images whose pixels are weighted sums of pixels along rows and columns, and the working memory of these sums.

#include <flowgraph/ops/image/detail/channels.hpp>
#include <flowgraph/ops/image/detail/resize_axis.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

struct pixel_span {
  std::int64_t begin = 0, end = 0;
};

// Returns the memory for the weights of columns that are computed together.
inline std::int64_t floats_of_weights(std::int64_t sources) { return std::max<std::int64_t>(2 * sources, 8192); }
// Returns the memory of a part: the weights of a row and of columns, and a mixed row.
inline std::int64_t span_floats(std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  return rows + floats_of_weights(columns) + columns * depth;
}
// Returns the memory of all parts. `source` is the shape of the images from which pixels are read.
FLOWGRAPH_COLD inline std::int64_t span_floats_of_parts(const shape& source) {
  return most_image_parts * span_floats(source[1], source[2], source[3]);
}

// Writes the weighted sum of `count` rows that are `width` elements apart. The order of the additions is the order of the rows.
template <class T>
void sum_rows(const void* rows, std::int64_t width, const float* weights, std::int64_t count, std::int64_t n,
              float* __restrict y) {
  const T* a = static_cast<const T*>(rows);
  std::fill_n(y, n, 0.0f);
  std::int64_t k = 0;
  for (; k + 4 <= count; k += 4, a += 4 * width) {
    const T *const b = a + width, *const c = b + width, *const d = c + width;
    const float p = weights[k], q = weights[k + 1], r = weights[k + 2], s = weights[k + 3];
    for (std::int64_t i = 0; i < n; ++i)
      y[i] = y[i] + static_cast<float>(a[i]) * p + static_cast<float>(b[i]) * q + static_cast<float>(c[i]) * r +
             static_cast<float>(d[i]) * s;
  }
  for (; k < count; ++k, a += width)
    for (std::int64_t i = 0; i < n; ++i) y[i] += static_cast<float>(a[i]) * weights[k];
}
using row_adder = void (*)(const void* rows, std::int64_t width, const float* weights, std::int64_t count, std::int64_t n,
                           float* y);

// The columns that are computed together, and their weights.
struct column_spans {
  std::int64_t count = 0;
  pixel_span at[most_columns];
  float* weights[most_columns];
  pixel_span all;  // the pixels that any of the columns needs

  // Sets as many columns as fit in the memory, at least one.
  template <class Spans> void set(const Spans& columns, std::int64_t first, float* memory) {
    const std::int64_t room = floats_of_weights(columns.sources());
    std::int64_t used = 0;
    all = {};
    for (count = 0; count < most_columns && first + count < columns.results(); ++count) {
      if (count > 0 && used + columns.sources() > room) break;
      const pixel_span s = columns.find(first + count, memory + used);
      at[count] = s;
      weights[count] = memory + used;
      used += s.end - s.begin;
      if (s.begin == s.end) continue;
      all = all.begin == all.end ? s : pixel_span{std::min(all.begin, s.begin), std::max(all.end, s.end)};
    }
  }
};

// Writes the weighted sums of the pixels of a row, times `factor`. The row begins with the first pixel that a column needs.
template <std::int64_t Depth>
void sum_columns_of(const column_spans& spans, const float* row, std::int64_t depth, float factor, float* __restrict y) {
  const std::int64_t each = Depth ? Depth : depth;
  for (std::int64_t i = 0; i < spans.count; ++i, y += each) {
    const float *from = row + (spans.at[i].begin - spans.all.begin) * each, *const weights = spans.weights[i];
    float own[room_for_channels<Depth>];
    float* const sums = Depth ? own : y;
    for_channels<Depth>(depth, [&](std::int64_t c) { sums[c] = 0; });
    for (std::int64_t k = 0, n = spans.at[i].end - spans.at[i].begin; k < n; ++k, from += each)
      for_channels<Depth>(depth, [&](std::int64_t c) { sums[c] += weights[k] * from[c]; });
    for_channels<Depth>(depth, [&](std::int64_t c) { y[c] = sums[c] * factor; });
  }
}
inline void sum_columns(const column_spans& spans, const float* row, std::int64_t depth, float factor, float* y) {
  switch (depth) {
    case 1: return sum_columns_of<1>(spans, row, depth, factor, y);
    case 3: return sum_columns_of<3>(spans, row, depth, factor, y);
    case 4: return sum_columns_of<4>(spans, row, depth, factor, y);
    default: return sum_columns_of<0>(spans, row, depth, factor, y);
  }
}

// The images from which pixels are read. Only `add` depends on the element type.
struct span_sources {
  const std::byte* x;
  std::size_t bytes_per_element;
  row_adder add;

  template <class T> static span_sources of(const T* x) {
    return {reinterpret_cast<const std::byte*>(x), sizeof(T), &sum_rows<T>};
  }
};

// Sets each pixel of y to `factor` times a weighted sum. Rows are summed first, then columns. Spans has `sources()` and `results()`,
// the numbers of pixels that it reads and writes, and `find(i, weights)`, which returns the pixels that pixel i needs and writes
// their weights.
template <class Spans>
void sum_spans(cpu ctx, const Spans& rows, const Spans& columns, std::int64_t images, std::int64_t depth,
               const span_sources& from, float factor, float* memory, float* y) {
  const std::int64_t width = columns.sources() * depth, floats = span_floats(rows.sources(), columns.sources(), depth);
  const std::int64_t work = 4 * (width + columns.results() * depth);
  for_parts_of_rows(ctx, images * rows.results(), work, [&](std::int64_t part, std::int64_t first, std::int64_t last) {
    float* const row_weights = memory + part * floats;
    float* const column_weights = row_weights + rows.sources();
    float* const mixed = column_weights + floats_of_weights(columns.sources());
    column_spans spans;
    for (std::int64_t column = 0; column < columns.results(); column += spans.count) {
      spans.set(columns, column, column_weights);
      const std::int64_t begin = spans.all.begin, n = (spans.all.end - begin) * depth;
      for (std::int64_t row = first; row < last; ++row) {
        const pixel_span s = rows.find(row % rows.results(), row_weights);
        const std::int64_t at = (row / rows.results() * rows.sources() + s.begin) * width + begin * depth;
        from.add(from.x + static_cast<std::size_t>(at) * from.bytes_per_element, width, row_weights, s.end - s.begin, n, mixed);
        sum_columns(spans, mixed, depth, factor, y + (row * columns.results() + column) * depth);
      }
    }
  });
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
