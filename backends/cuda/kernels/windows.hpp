#pragma once
// Pools and convolutions of images. A thread makes one element of the result, in the order of the CPU.

#include <cuda/kernels/arguments.hpp>
#include <cuda/kernels/elements.hpp>
#include <cuda/kernels/reductions.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

// The position of an element in images of [images, rows, columns, channels].
struct image_place {
  std::int64_t image, row, column, channel;
  FLOWGRAPH_FUNCTION image_place(std::int64_t i, std::int64_t rows, std::int64_t columns, std::int64_t channels)
      : image(i / channels / columns / rows), row(i / channels / columns % rows), column(i / channels % columns),
        channel(i % channels) {}
  FLOWGRAPH_FUNCTION std::int64_t in(const std::int64_t* steps) const {
    return image * steps[0] + row * steps[1] + column * steps[2] + channel * steps[3];
  }
};

// The elements of an axis that a window covers: [first, last). Pools have no dilation.
FLOWGRAPH_FUNCTION inline std::int64_t first_of(const window_axis& a, std::int64_t o) {
  const std::int64_t first = o * a.step - a.start;
  return first > 0 ? first : 0;
}
FLOWGRAPH_FUNCTION inline std::int64_t last_of(const window_axis& a, std::int64_t o) {
  const std::int64_t last = o * a.step - a.start + a.size;
  return last < a.extent ? last : a.extent;
}
// The windows that cover element i: [first, last).
FLOWGRAPH_FUNCTION inline std::int64_t first_window(const window_axis& a, std::int64_t i) {
  const std::int64_t reach = i + a.start - a.size + 1;
  return reach > 0 ? (reach + a.step - 1) / a.step : 0;
}
FLOWGRAPH_FUNCTION inline std::int64_t last_window(const window_axis& a, std::int64_t i) {
  const std::int64_t last = (i + a.start) / a.step + 1;
  return last < a.outputs ? last : a.outputs;
}

template <class T> FLOWGRAPH_FUNCTION T added(T a, T b) {
  return plain<T>(functor::add::packet(get<functor::add>(a), get<functor::add>(b)));
}
template <class T> FLOWGRAPH_FUNCTION T lowest_of() {
  if constexpr (std::is_same_v<T, half>) return half::from_bits(0xfbff);
  else return std::numeric_limits<T>::lowest();
}

// The largest element of each window. NaN is never the largest.
template <class T> struct max_pool {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const window_arguments& w) const {
    const std::int64_t first = b.index() * elements_per_block, size = w.images * w.rows.outputs * w.columns.outputs * w.outputs;
    b.each(part_of(size, first), [&](std::int64_t i) {
      const image_place at(first + i, w.rows.outputs, w.columns.outputs, w.outputs);
      T largest = lowest_of<T>();
      for (std::int64_t row = first_of(w.rows, at.row); row < last_of(w.rows, at.row); ++row)
        for (std::int64_t column = first_of(w.columns, at.column); column < last_of(w.columns, at.column); ++column)
          for (std::int64_t k = at.channel * w.depth.step; k < at.channel * w.depth.step + w.depth.size; ++k) {
            const T x = static_cast<const T*>(
                w.x)[at.image * w.x_steps[0] + row * w.x_steps[1] + column * w.x_steps[2] + k * w.x_steps[3]];
            if (static_cast<computed<T>>(largest) < static_cast<computed<T>>(x)) largest = x;
          }
      static_cast<T*>(w.made)[at.in(w.y_steps)] = largest;
    });
  }
};

// Whether an element is the first of the largest in a window.
template <class T>
FLOWGRAPH_FUNCTION bool is_first_largest(const window_arguments& w, const image_place& at, std::int64_t row_window,
                                         std::int64_t column_window) {
  const T* const x = static_cast<const T*>(w.x) + at.image * w.x_steps[0] + at.channel * w.x_steps[3];
  std::int64_t place = -1;
  for (std::int64_t row = first_of(w.rows, row_window); row < last_of(w.rows, row_window); ++row)
    for (std::int64_t column = first_of(w.columns, column_window); column < last_of(w.columns, column_window); ++column) {
      const std::int64_t here = row * w.x_steps[1] + column * w.x_steps[2];
      if (place < 0 || static_cast<computed<T>>(x[place]) < static_cast<computed<T>>(x[here])) place = here;
    }
  return place == at.row * w.x_steps[1] + at.column * w.x_steps[2];
}

// The gradient of MaxPool: each element gets the gradients of the windows in which it is the first of the largest.
template <class T> struct max_pool_gradient {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const window_arguments& w) const {
    const std::int64_t first = b.index() * elements_per_block, size = w.images * w.rows.extent * w.columns.extent * w.channels;
    b.each(part_of(size, first), [&](std::int64_t i) {
      const image_place at(first + i, w.rows.extent, w.columns.extent, w.channels);
      T sum = T(0);
      for (std::int64_t row = first_window(w.rows, at.row); row < last_window(w.rows, at.row); ++row)
        for (std::int64_t column = first_window(w.columns, at.column); column < last_window(w.columns, at.column); ++column)
          if (is_first_largest<T>(w, at, row, column))
            sum = added(
                sum,
                static_cast<const T*>(
                    w.filter)[at.image * w.y_steps[0] + row * w.y_steps[1] + column * w.y_steps[2] + at.channel * w.y_steps[3]]);
      static_cast<T*>(w.made)[at.in(w.x_steps)] = sum;
    });
  }
};

// The mean of each window, without padding.
template <class T> struct mean_pool {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const window_arguments& w) const {
    using P = computed<T>;
    const std::int64_t first = b.index() * elements_per_block, size = w.images * w.rows.outputs * w.columns.outputs * w.outputs;
    b.each(part_of(size, first), [&](std::int64_t i) {
      const image_place at(first + i, w.rows.outputs, w.columns.outputs, w.outputs);
      const T* const x = static_cast<const T*>(w.x) + at.image * w.x_steps[0] + at.channel * w.x_steps[3];
      P sum = 0;
      std::int64_t count = 0;
      for (std::int64_t row = first_of(w.rows, at.row); row < last_of(w.rows, at.row); ++row)
        for (std::int64_t column = first_of(w.columns, at.column); column < last_of(w.columns, at.column); ++column, ++count)
          sum += static_cast<P>(x[row * w.x_steps[1] + column * w.x_steps[2]]);
      static_cast<T*>(w.made)[at.in(w.y_steps)] = T(sum / static_cast<P>(count));
    });
  }
};

// The gradient of AvgPool: each element gets its share of the windows that cover it.
template <class T> struct mean_pool_gradient {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const window_arguments& w) const {
    using P = computed<T>;
    const std::int64_t first = b.index() * elements_per_block, size = w.images * w.rows.extent * w.columns.extent * w.channels;
    b.each(part_of(size, first), [&](std::int64_t i) {
      const image_place at(first + i, w.rows.extent, w.columns.extent, w.channels);
      const T* const dy = static_cast<const T*>(w.y) + at.image * w.y_steps[0] + at.channel * w.y_steps[3];
      P sum = 0;
      for (std::int64_t row = first_window(w.rows, at.row); row < last_window(w.rows, at.row); ++row)
        for (std::int64_t column = first_window(w.columns, at.column); column < last_window(w.columns, at.column); ++column) {
          const std::int64_t count =
              (last_of(w.rows, row) - first_of(w.rows, row)) * (last_of(w.columns, column) - first_of(w.columns, column));
          sum += static_cast<P>(dy[row * w.y_steps[1] + column * w.y_steps[2]]) / static_cast<P>(count);
        }
      static_cast<T*>(w.made)[at.in(w.x_steps)] = T(sum);
    });
  }
};

// The element of an axis that element k of window o covers, or -1 for padding.
FLOWGRAPH_FUNCTION inline std::int64_t covered(const window_axis& a, std::int64_t o, std::int64_t k) {
  const std::int64_t at = o * a.step - a.start + k * a.dilation;
  return at >= 0 && at < a.extent ? at : -1;
}
// The window whose element k covers element i, or -1.
FLOWGRAPH_FUNCTION inline std::int64_t window_over(const window_axis& a, std::int64_t i, std::int64_t k) {
  const std::int64_t at = i + a.start - k * a.dilation;
  return at >= 0 && at % a.step == 0 && at / a.step < a.outputs ? at / a.step : -1;
}

template <class T> struct convolution {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const window_arguments& w) const {
    using P = computed<T>;
    const std::int64_t first = b.index() * elements_per_block, size = w.images * w.rows.outputs * w.columns.outputs * w.outputs;
    b.each(part_of(size, first), [&](std::int64_t i) {
      const image_place at(first + i, w.rows.outputs, w.columns.outputs, w.outputs);
      const T* const x =
          static_cast<const T*>(w.x) + at.image * w.x_steps[0] + at.channel / w.group_outputs * w.group_inputs * w.x_steps[3];
      P sum = 0;
      for (std::int64_t r = 0; r < w.rows.size; ++r)
        for (std::int64_t c = 0; c < w.columns.size; ++c) {
          const std::int64_t row = covered(w.rows, at.row, r), column = covered(w.columns, at.column, c);
          if (row < 0 || column < 0) continue;
          const T* const f = static_cast<const T*>(w.filter) + (r * w.columns.size + c) * w.group_inputs * w.outputs + at.channel;
          const T* const from = x + row * w.x_steps[1] + column * w.x_steps[2];
          for (std::int64_t k = 0; k < w.group_inputs; ++k)
            sum += static_cast<P>(from[k * w.x_steps[3]]) * static_cast<P>(f[k * w.outputs]);
        }
      static_cast<T*>(w.made)[at.in(w.y_steps)] = T(sum);
    });
  }
};

template <class T> struct convolution_by_input {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const window_arguments& w) const {
    using P = computed<T>;
    const std::int64_t first = b.index() * elements_per_block, size = w.images * w.rows.extent * w.columns.extent * w.channels;
    b.each(part_of(size, first), [&](std::int64_t i) {
      const image_place at(first + i, w.rows.extent, w.columns.extent, w.channels);
      const std::int64_t output = at.channel / w.group_inputs * w.group_outputs;  // the first of the group
      const T* const dy = static_cast<const T*>(w.y) + at.image * w.y_steps[0] + output * w.y_steps[3];
      P sum = 0;
      for (std::int64_t r = 0; r < w.rows.size; ++r)
        for (std::int64_t c = 0; c < w.columns.size; ++c) {
          const std::int64_t row = window_over(w.rows, at.row, r), column = window_over(w.columns, at.column, c);
          if (row < 0 || column < 0) continue;
          const std::int64_t input = (r * w.columns.size + c) * w.group_inputs + at.channel % w.group_inputs;
          const T* const f = static_cast<const T*>(w.filter) + input * w.outputs + output;
          const T* const from = dy + row * w.y_steps[1] + column * w.y_steps[2];
          for (std::int64_t k = 0; k < w.group_outputs; ++k) sum += static_cast<P>(from[k * w.y_steps[3]]) * static_cast<P>(f[k]);
        }
      static_cast<T*>(w.made)[at.in(w.x_steps)] = T(sum);
    });
  }
};

// A block makes one element of the filter's gradient: each thread adds every 256th window, then a tree adds the threads.
template <class T> struct convolution_by_filter {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const window_arguments& w) const {
    using P = computed<T>;
    const image_place f(b.index(), w.columns.size, w.group_inputs, w.outputs);  // its row, column, input and output
    const std::int64_t input = f.channel / w.group_outputs * w.group_inputs + f.column;
    const T* const x = static_cast<const T*>(w.x) + input * w.x_steps[3];
    const T* const dy = static_cast<const T*>(w.y) + f.channel * w.y_steps[3];
    P* const parts = b.template shared<P>();
    b.each(threads_per_block, [&](std::int64_t thread) {
      P sum = 0;
      for (std::int64_t i = thread; i < w.images * w.rows.outputs * w.columns.outputs; i += threads_per_block) {
        const image_place at(i, w.rows.outputs, w.columns.outputs, 1);
        const std::int64_t row = covered(w.rows, at.row, f.image), column = covered(w.columns, at.column, f.row);
        if (row < 0 || column < 0) continue;
        sum += static_cast<P>(x[at.image * w.x_steps[0] + row * w.x_steps[1] + column * w.x_steps[2]]) *
               static_cast<P>(dy[at.in(w.y_steps)]);
      }
      parts[thread] = sum;
    });
    join_threads<sum_of>(b, parts);
    T* const made = static_cast<T*>(w.made) + b.index();
    b.each(1, [=](std::int64_t) { *made = T(parts[0]); });
  }
};

}
}
}  // namespace flowgraph::cuda

#include <flowgraph/show_names.hpp>
