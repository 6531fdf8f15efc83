#pragma once
// Resizing of images, and its gradients. One thread makes an element, by the formulas of ops/image/detail/resize_axis.hpp.

#include <cuda/kernels/arguments.hpp>
#include <cuda/kernels/elements.hpp>
#include <cuda/kernels/scatters.hpp>

#include <flowgraph/core/first_that.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

// The place of pixel i of the resized images, before it is moved to the center of a pixel.
FLOWGRAPH_FUNCTION inline float scaled_place(const resize_axis& axis, bool at_centers, std::int64_t i) {
  return at_centers ? (static_cast<float>(i) + 0.5f) * axis.scale : static_cast<float>(i) * axis.scale;
}
FLOWGRAPH_FUNCTION inline std::int64_t inside(const resize_axis& axis, float place) {
  const auto i = static_cast<std::int64_t>(place);
  return i < 0 ? 0 : i < axis.from ? i : axis.from - 1;
}
FLOWGRAPH_FUNCTION inline std::int64_t nearest_pixel(const resize_axis& axis, const resize_arguments& a, std::int64_t i) {
  const float at = scaled_place(axis, a.at_centers, i), below = functor::functions<float>::floor(at);
  return inside(axis, a.rounds && at - below >= 0.5f ? below + 1 : below);
}

// A point between two pixels of an axis.
struct blend {
  std::int64_t lower, upper;
  float share;  // of the upper pixel
};
FLOWGRAPH_FUNCTION inline blend blend_at(const resize_axis& axis, bool at_centers, std::int64_t i) {
  const float scaled = scaled_place(axis, at_centers, i), at = at_centers ? scaled - 0.5f : scaled;
  const float below = functor::functions<float>::floor(at);
  return {inside(axis, below), inside(axis, -functor::functions<float>::floor(-at)), at - below};
}

using detail::first_that;

// An element of images: its image, row, column and channel.
struct pixel {
  std::int64_t image, row, column, channel;
};
FLOWGRAPH_FUNCTION inline pixel pixel_of(std::int64_t at, std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  const std::int64_t line = at / depth / columns;
  return {line / rows, line % rows, at / depth % columns, at % depth};
}
// The number of the first channel of a pixel.
FLOWGRAPH_FUNCTION inline std::int64_t number_of(std::int64_t image, std::int64_t row, std::int64_t column, std::int64_t rows,
                                                 std::int64_t columns, std::int64_t depth) {
  return ((image * rows + row) * columns + column) * depth;
}

template <int Bytes> struct resize_nearest {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const resize_arguments& a) const {
    using T = typename moved<Bytes>::type;
    const std::int64_t first = b.index() * elements_per_block;
    b.each(part_of(a.size, first), [&](std::int64_t i) {
      const pixel p = pixel_of(first + i, a.rows.to, a.columns.to, a.depth);
      const std::int64_t row = nearest_pixel(a.rows, a, p.row), column = nearest_pixel(a.columns, a, p.column);
      const std::int64_t from = number_of(p.image, row, column, a.rows.from, a.columns.from, a.depth) + p.channel;
      static_cast<T*>(a.y)[first + i] = static_cast<const T*>(a.x)[from];
    });
  }
};

// Adds the gradients of the pixels that are copies of one pixel, by rows.
template <class T> struct resize_nearest_gradient {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const resize_arguments& a) const {
    const std::int64_t first = b.index() * elements_per_block;
    b.each(part_of(a.size, first), [&](std::int64_t n) {
      const pixel p = pixel_of(first + n, a.rows.from, a.columns.from, a.depth);
      const auto row_of = [&](std::int64_t i) { return nearest_pixel(a.rows, a, i); };
      const auto column_of = [&](std::int64_t i) { return nearest_pixel(a.columns, a, i); };
      const std::int64_t top = first_that(a.rows.to, [&](std::int64_t i) { return row_of(i) >= p.row; });
      const std::int64_t left = first_that(a.columns.to, [&](std::int64_t i) { return column_of(i) >= p.column; });
      T sum = T(0);
      for (std::int64_t i = top; i < a.rows.to && row_of(i) == p.row; ++i)
        for (std::int64_t j = left; j < a.columns.to && column_of(j) == p.column; ++j) {
          const std::int64_t from = number_of(p.image, i, j, a.rows.to, a.columns.to, a.depth) + p.channel;
          sum = changed_by<functor::add>::make(sum, static_cast<const T*>(a.x)[from]);
        }
      static_cast<T*>(a.y)[first + n] = sum;
    });
  }
};

template <class T> struct resize_linear {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const resize_arguments& a) const {
    const std::int64_t first = b.index() * elements_per_block;
    const bool keeps_size = a.rows.from == a.rows.to && a.columns.from == a.columns.to;
    b.each(part_of(a.size, first), [&](std::int64_t i) {
      const pixel p = pixel_of(first + i, a.rows.to, a.columns.to, a.depth);
      const auto at = [&](std::int64_t row, std::int64_t column) {
        const std::int64_t from = number_of(p.image, row, column, a.rows.from, a.columns.from, a.depth) + p.channel;
        return static_cast<float>(static_cast<const T*>(a.x)[from]);
      };
      float* const y = static_cast<float*>(a.y) + first + i;
      if (keeps_size) {
        *y = at(p.row, p.column);
        return;
      }
      const blend rows = blend_at(a.rows, a.at_centers, p.row), columns = blend_at(a.columns, a.at_centers, p.column);
      const auto along = [&](std::int64_t row) {
        const float left = at(row, columns.lower);
        return left + (at(row, columns.upper) - left) * columns.share;
      };
      const float upper = along(rows.lower);
      *y = upper + (along(rows.upper) - upper) * rows.share;
    });
  }
};

// Adds the gradients of the pixels that were computed from one pixel, by rows.
template <class T> struct resize_linear_gradient {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const resize_arguments& a) const {
    using P = computed<T>;
    const std::int64_t first = b.index() * elements_per_block;
    b.each(part_of(a.size, first), [&](std::int64_t n) {
      const pixel p = pixel_of(first + n, a.rows.from, a.columns.from, a.depth);
      const auto row_at = [&](std::int64_t i) { return blend_at(a.rows, a.at_centers, i); };
      const auto column_at = [&](std::int64_t i) { return blend_at(a.columns, a.at_centers, i); };
      const std::int64_t top = first_that(a.rows.to, [&](std::int64_t i) { return row_at(i).upper >= p.row; });
      const std::int64_t left = first_that(a.columns.to, [&](std::int64_t i) { return column_at(i).upper >= p.column; });
      P sum = 0;
      for (std::int64_t i = top; i < a.rows.to; ++i) {
        const blend row = row_at(i);
        if (row.lower > p.row) break;
        for (std::int64_t j = left; j < a.columns.to; ++j) {
          const blend column = column_at(j);
          if (column.lower > p.column) break;
          const float d = static_cast<const float*>(a.x)[number_of(p.image, i, j, a.rows.to, a.columns.to, a.depth) + p.channel];
          const auto add = [&](float of_row) {
            if (column.lower == p.column) sum += static_cast<P>(d * of_row * (1.0f - column.share));
            if (column.upper == p.column) sum += static_cast<P>(d * of_row * column.share);
          };
          if (row.lower == p.row) add(1.0f - row.share);
          if (row.upper == p.row) add(row.share);
        }
      }
      static_cast<T*>(a.y)[first + n] = T(sum);
    });
  }
};

}
}
}  // namespace flowgraph::cuda

#include <flowgraph/show_names.hpp>
