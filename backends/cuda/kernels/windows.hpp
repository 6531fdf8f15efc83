#pragma once
// Pools and convolutions of images and volumes. A thread computes one element of the result, in the same order of additions as
// the CPU. An image is a volume of one plane.

#include <cuda/kernels/arguments.hpp>
#include <cuda/kernels/elements.hpp>
#include <cuda/kernels/reductions.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

// ---- Positions, and walks over elements and windows.

// The position of an element in volumes of [volumes, planes, rows, columns, channels].
struct volume_place {
  std::int64_t volume, plane, row, column, channel;

  FLOWGRAPH_FUNCTION volume_place(std::int64_t i, std::int64_t planes, std::int64_t rows, std::int64_t columns,
                                  std::int64_t channels) {
    channel = i % channels;
    i /= channels;
    column = i % columns;
    i /= columns;
    row = i % rows;
    i /= rows;
    plane = i % planes;
    volume = i / planes;
  }
  FLOWGRAPH_FUNCTION static volume_place of_input(const window_arguments& w, std::int64_t i) {
    return {i, w.planes.extent, w.rows.extent, w.columns.extent, w.channels};
  }
  FLOWGRAPH_FUNCTION static volume_place of_output(const window_arguments& w, std::int64_t i) {
    return {i, w.planes.outputs, w.rows.outputs, w.columns.outputs, w.outputs};
  }
  FLOWGRAPH_FUNCTION std::int64_t in(const std::int64_t* steps) const {
    return volume * steps[0] + plane * steps[1] + row * steps[2] + column * steps[3] + channel * steps[4];
  }
};

// Calls f(place) for the elements of x (each_input) or of y (each_output) that this block computes.
template <class Block, class F> FLOWGRAPH_FUNCTION void each_input(Block& b, const window_arguments& w, const F& f) {
  const std::int64_t first = b.index() * elements_per_block;
  const std::int64_t size = w.volumes * w.planes.extent * w.rows.extent * w.columns.extent * w.channels;
  b.each(part_of(size, first), [&](std::int64_t i) { f(volume_place::of_input(w, first + i)); });
}
template <class Block, class F> FLOWGRAPH_FUNCTION void each_output(Block& b, const window_arguments& w, const F& f) {
  const std::int64_t first = b.index() * elements_per_block;
  const std::int64_t size = w.volumes * w.planes.outputs * w.rows.outputs * w.columns.outputs * w.outputs;
  b.each(part_of(size, first), [&](std::int64_t i) { f(volume_place::of_output(w, first + i)); });
}

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

// Calls f(distance) for the elements of x that the window at `o` covers, in order. The distance is counted from the first pixel.
template <class F> FLOWGRAPH_FUNCTION void each_covered(const window_arguments& w, const volume_place& o, const F& f) {
  for (std::int64_t plane = first_of(w.planes, o.plane); plane < last_of(w.planes, o.plane); ++plane)
    for (std::int64_t row = first_of(w.rows, o.row); row < last_of(w.rows, o.row); ++row)
      for (std::int64_t column = first_of(w.columns, o.column); column < last_of(w.columns, o.column); ++column)
        f(plane * w.x_steps[1] + row * w.x_steps[2] + column * w.x_steps[3]);
}
FLOWGRAPH_FUNCTION inline std::int64_t covered_count(const window_axis& a, std::int64_t o) {
  return last_of(a, o) - first_of(a, o);
}
FLOWGRAPH_FUNCTION inline std::int64_t covered_count(const window_arguments& w, const volume_place& o) {
  return covered_count(w.planes, o.plane) * covered_count(w.rows, o.row) * covered_count(w.columns, o.column);
}
// Calls f(window) for the windows that cover the element at `at`, in order.
template <class F> FLOWGRAPH_FUNCTION void each_window(const window_arguments& w, const volume_place& at, const F& f) {
  volume_place o = at;
  for (o.plane = first_window(w.planes, at.plane); o.plane < last_window(w.planes, at.plane); ++o.plane)
    for (o.row = first_window(w.rows, at.row); o.row < last_window(w.rows, at.row); ++o.row)
      for (o.column = first_window(w.columns, at.column); o.column < last_window(w.columns, at.column); ++o.column) f(o);
}

// Finds the element of an axis that element k of window o covers; -1 for padding.
struct covered {
  FLOWGRAPH_FUNCTION static std::int64_t along(const window_axis& a, std::int64_t o, std::int64_t k) {
    const std::int64_t at = o * a.step - a.start + k * a.dilation;
    return at >= 0 && at < a.extent ? at : -1;
  }
};
// Finds the window whose element k covers element i; -1 if there is no such window.
struct window_over {
  FLOWGRAPH_FUNCTION static std::int64_t along(const window_axis& a, std::int64_t i, std::int64_t k) {
    const std::int64_t at = i + a.start - k * a.dilation;
    return at >= 0 && at % a.step == 0 && at / a.step < a.outputs ? at / a.step : -1;
  }
};
// Calls f(index of the tap, distance) for the taps of a filter for which `Find` finds an element. The distance leads to this
// element.
template <class Find, class F>
FLOWGRAPH_FUNCTION void each_tap(const window_arguments& w, const volume_place& at, const std::int64_t* steps, const F& f) {
  for (std::int64_t p = 0; p < w.planes.size; ++p) {
    const std::int64_t plane = Find::along(w.planes, at.plane, p);
    for (std::int64_t r = 0; r < w.rows.size && plane >= 0; ++r) {
      const std::int64_t row = Find::along(w.rows, at.row, r);
      for (std::int64_t c = 0; c < w.columns.size && row >= 0; ++c) {
        const std::int64_t column = Find::along(w.columns, at.column, c);
        if (column >= 0) f((p * w.rows.size + r) * w.columns.size + c, plane * steps[1] + row * steps[2] + column * steps[3]);
      }
    }
  }
}

// ---- Pools.

template <class T> FLOWGRAPH_FUNCTION T added(T a, T b) {
  return plain<T>(functor::add::packet(get<functor::add>(a), get<functor::add>(b)));
}
template <class T> FLOWGRAPH_FUNCTION T lowest_of() {
  if constexpr (std::is_same_v<T, half>) return half::from_bits(0xfbff);
  else return std::numeric_limits<T>::lowest();
}
template <class T> FLOWGRAPH_FUNCTION bool is_less(T a, T b) { return static_cast<computed<T>>(a) < static_cast<computed<T>>(b); }
template <class T> FLOWGRAPH_FUNCTION const T* pixels_of(const void* x, const volume_place& at, const std::int64_t* steps) {
  return static_cast<const T*>(x) + at.volume * steps[0] + at.channel * steps[4];
}

// The largest element of each window. NaN is never the largest.
template <class T> struct max_pool {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const window_arguments& w) const {
    each_output(b, w, [&](const volume_place& at) {
      const T* const x = static_cast<const T*>(w.x) + at.volume * w.x_steps[0];
      T largest = lowest_of<T>();
      each_covered(w, at, [&](std::int64_t step) {
        for (std::int64_t k = at.channel * w.depth.step; k < at.channel * w.depth.step + w.depth.size; ++k)
          if (is_less(largest, x[step + k * w.x_steps[4]])) largest = x[step + k * w.x_steps[4]];
      });
      static_cast<T*>(w.output)[at.in(w.y_steps)] = largest;
    });
  }
};

// The largest element of each window of volumes. NaN is the largest until a number follows it.
template <class T> struct max_pool_of_volumes {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const window_arguments& w) const {
    each_output(b, w, [&](const volume_place& at) {
      const T* const x = pixels_of<T>(w.x, at, w.x_steps);
      T largest = -std::numeric_limits<T>::infinity();
      each_covered(w, at, [&](std::int64_t step) {
        if (!is_less(x[step], largest)) largest = x[step];
      });
      static_cast<T*>(w.output)[at.in(w.y_steps)] = largest;
    });
  }
};

// The gradient of MaxPool: each element gets the gradients of the windows in which it is the first of the largest.
template <class T> struct max_pool_gradient {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const window_arguments& w) const {
    each_input(b, w, [&](const volume_place& at) {
      const T* const x = pixels_of<T>(w.x, at, w.x_steps);
      const std::int64_t own = at.in(w.x_steps) - at.volume * w.x_steps[0] - at.channel * w.x_steps[4];
      T sum = T(0);
      each_window(w, at, [&](const volume_place& o) {
        std::int64_t largest = -1;
        each_covered(w, o, [&](std::int64_t step) {
          if (largest < 0 || is_less(x[largest], x[step])) largest = step;
        });
        if (largest == own) sum = added(sum, static_cast<const T*>(w.filter)[o.in(w.y_steps)]);
      });
      static_cast<T*>(w.output)[at.in(w.x_steps)] = sum;
    });
  }
};

// The gradient of MaxPool3D: each element gets the gradients of the windows whose largest element it equals.
template <class T> struct equal_pool_gradient {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const window_arguments& w) const {
    each_input(b, w, [&](const volume_place& at) {
      const T x = static_cast<const T*>(w.x)[at.in(w.x_steps)];
      T sum = T(0);
      each_window(w, at, [&](const volume_place& o) {
        const std::int64_t place = o.in(w.y_steps);
        if (static_cast<const T*>(w.y)[place] == x) sum = added(sum, static_cast<const T*>(w.filter)[place]);
      });
      static_cast<T*>(w.output)[at.in(w.x_steps)] = sum;
    });
  }
};

// The gradient of the gradient of MaxPool: each window gets the gradient of its first largest element, NaN and negative infinity
// apart, or 0.
template <class T> struct max_pool_second_gradient {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const window_arguments& w) const {
    each_output(b, w, [&](const volume_place& at) {
      const T* const x = pixels_of<T>(w.x, at, w.x_steps);
      std::int64_t largest = -1;
      each_covered(w, at, [&](std::int64_t step) {
        const bool is_number =
            !is_less(x[step], lowest_of<T>()) && static_cast<computed<T>>(x[step]) == static_cast<computed<T>>(x[step]);
        if (largest < 0 ? is_number : is_less(x[largest], x[step])) largest = step;
      });
      static_cast<T*>(w.output)[at.in(w.y_steps)] = largest < 0 ? T(0) : pixels_of<T>(w.filter, at, w.x_steps)[largest];
    });
  }
};

// The gradient of the gradient of MaxPool3D: each window gets the gradient of its first element that equals the largest, or 0.
template <class T> struct equal_pool_second_gradient {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const window_arguments& w) const {
    each_output(b, w, [&](const volume_place& at) {
      const T* const x = pixels_of<T>(w.x, at, w.x_steps);
      const auto largest = static_cast<computed<T>>(static_cast<const T*>(w.y)[at.in(w.y_steps)]);
      std::int64_t first = -1;
      each_covered(w, at, [&](std::int64_t step) {
        if (first < 0 && static_cast<computed<T>>(x[step]) == largest) first = step;
      });
      static_cast<T*>(w.output)[at.in(w.y_steps)] = first < 0 ? T(0) : pixels_of<T>(w.filter, at, w.x_steps)[first];
    });
  }
};

// The mean of each window, without padding.
template <class T> struct mean_pool {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const window_arguments& w) const {
    using P = computed<T>;
    each_output(b, w, [&](const volume_place& at) {
      const T* const x = pixels_of<T>(w.x, at, w.x_steps);
      P sum = 0;
      each_covered(w, at, [&](std::int64_t step) { sum += static_cast<P>(x[step]); });
      static_cast<T*>(w.output)[at.in(w.y_steps)] = T(sum / static_cast<P>(covered_count(w, at)));
    });
  }
};

// The gradient of AvgPool: each element gets its share of the windows that cover it.
template <class T> struct mean_pool_gradient {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const window_arguments& w) const {
    using P = computed<T>;
    each_input(b, w, [&](const volume_place& at) {
      P sum = 0;
      each_window(w, at, [&](const volume_place& o) {
        sum += static_cast<P>(static_cast<const T*>(w.y)[o.in(w.y_steps)]) / static_cast<P>(covered_count(w, o));
      });
      static_cast<T*>(w.output)[at.in(w.x_steps)] = T(sum);
    });
  }
};

// ---- Convolutions.

template <class T> struct convolution {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const window_arguments& w) const {
    using P = computed<T>;
    each_output(b, w, [&](const volume_place& at) {
      const std::int64_t input = at.channel / w.group_outputs * w.group_inputs;  // the first of the group
      const T* const x = static_cast<const T*>(w.x) + at.volume * w.x_steps[0] + input * w.x_steps[4];
      P sum = 0;
      each_tap<covered>(w, at, w.x_steps, [&](std::int64_t tap, std::int64_t step) {
        const T* const f = static_cast<const T*>(w.filter) + tap * w.group_inputs * w.outputs + at.channel;
        for (std::int64_t k = 0; k < w.group_inputs; ++k)
          sum += static_cast<P>(x[step + k * w.x_steps[4]]) * static_cast<P>(f[k * w.outputs]);
      });
      static_cast<T*>(w.output)[at.in(w.y_steps)] = T(sum);
    });
  }
};

template <class T> struct convolution_by_input {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const window_arguments& w) const {
    using P = computed<T>;
    each_input(b, w, [&](const volume_place& at) {
      const std::int64_t output = at.channel / w.group_inputs * w.group_outputs;  // the first of the group
      const T* const dy = static_cast<const T*>(w.y) + at.volume * w.y_steps[0] + output * w.y_steps[4];
      P sum = 0;
      each_tap<window_over>(w, at, w.y_steps, [&](std::int64_t tap, std::int64_t step) {
        const std::int64_t input = tap * w.group_inputs + at.channel % w.group_inputs;
        const T* const f = static_cast<const T*>(w.filter) + input * w.outputs + output;
        for (std::int64_t k = 0; k < w.group_outputs; ++k)
          sum += static_cast<P>(dy[step + k * w.y_steps[4]]) * static_cast<P>(f[k]);
      });
      static_cast<T*>(w.output)[at.in(w.x_steps)] = T(sum);
    });
  }
};

// A block computes one element of the filter's gradient: each thread adds every 256th window, then a tree adds the threads.
template <class T> struct convolution_by_filter {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const window_arguments& w) const {
    using P = computed<T>;
    // The index of the block is [plane, row, column, input within the group, output].
    const volume_place tap(b.index(), w.rows.size, w.columns.size, w.group_inputs, w.outputs);
    const std::int64_t input = tap.channel / w.group_outputs * w.group_inputs + tap.column;
    const T* const x = static_cast<const T*>(w.x) + input * w.x_steps[4];
    const T* const dy = static_cast<const T*>(w.y) + tap.channel * w.y_steps[4];
    P* const parts = b.template shared<P>();
    b.each(threads_per_block, [&](std::int64_t thread) {
      P sum = 0;
      const std::int64_t windows = w.volumes * w.planes.outputs * w.rows.outputs * w.columns.outputs;
      for (std::int64_t i = thread; i < windows; i += threads_per_block) {
        const volume_place at(i, w.planes.outputs, w.rows.outputs, w.columns.outputs, 1);
        const std::int64_t plane = covered::along(w.planes, at.plane, tap.volume),
                           row = covered::along(w.rows, at.row, tap.plane),
                           column = covered::along(w.columns, at.column, tap.row);
        if (plane < 0 || row < 0 || column < 0) continue;
        sum += static_cast<P>(x[at.volume * w.x_steps[0] + plane * w.x_steps[1] + row * w.x_steps[2] + column * w.x_steps[3]]) *
               static_cast<P>(dy[at.in(w.y_steps)]);
      }
      parts[thread] = sum;
    });
    join_threads<sum_of>(b, parts);
    T* const result = static_cast<T*>(w.output) + b.index();
    b.each(1, [=](std::int64_t) { *result = T(parts[0]); });
  }
};

}
}
}  // namespace flowgraph::cuda

#include <flowgraph/show_names.hpp>
