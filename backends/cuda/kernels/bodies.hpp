#pragma once
// The loops of the kernels: maps, maps with broadcasting, and sums of rows.

#ifndef FLOWGRAPH_LEVEL_FILE
#define FLOWGRAPH_LEVEL_FILE FLOWGRAPH_LEVEL_ONE
#endif
#include "arguments.hpp"
#include "block.hpp"

#include <flowgraph/functors/all.hpp>
#include <flowgraph/ops/kernel/math.hpp>

namespace flowgraph::cuda {

template <class T> using lane = kernel::one::packet<T>;

// The number of elements of a part of `size`: the part of block b begins at b * elements_per_block.
FLOWGRAPH_FUNCTION inline std::int64_t part_of(std::int64_t size, std::int64_t first) {
  const std::int64_t left = size - first;
  return left < elements_per_block ? left : std::int64_t{elements_per_block};
}

template <class F, class T> struct unary_map {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const map_arguments& m) const {
    const std::int64_t first = b.index() * elements_per_block;
    const T* const x = static_cast<const T*>(m.a) + first;
    T* const y = static_cast<T*>(m.y) + first;
    b.each(part_of(m.size, first), [=] FLOWGRAPH_FUNCTION(std::int64_t i) { F::packet(lane<T>(x[i])).store(y + i); });
  }
};

template <class F, class T> struct binary_map {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const map_arguments& m) const {
    const std::int64_t first = b.index() * elements_per_block, left_step = m.a_step, right_step = m.b_step;
    const T* const left = static_cast<const T*>(m.a) + first * left_step;
    const T* const right = static_cast<const T*>(m.b) + first * right_step;
    T* const y = static_cast<T*>(m.y) + first;
    b.each(part_of(m.size, first), [=] FLOWGRAPH_FUNCTION(std::int64_t i) {
      F::packet(lane<T>(left[i * left_step]), lane<T>(right[i * right_step])).store(y + i);
    });
  }
};

template <class F, class T> struct broadcast_map {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const broadcast_arguments& m) const {
    const std::int64_t first = b.index() * elements_per_block;
    const broadcast_arguments* const at = &m;
    b.each(part_of(m.size, first), [=] FLOWGRAPH_FUNCTION(std::int64_t i) {
      std::int64_t rest = first + i, from_a = 0, from_b = 0;
      for (int axis = at->rank - 1; axis >= 0; --axis) {
        const std::int64_t place = rest % at->extents[axis];
        rest /= at->extents[axis];
        from_a += place * at->a_steps[axis];
        from_b += place * at->b_steps[axis];
      }
      F::packet(lane<T>(static_cast<const T*>(at->a)[from_a]), lane<T>(static_cast<const T*>(at->b)[from_b]))
          .store(static_cast<T*>(at->y) + first + i);
    });
  }
};

// A block sums one row: each thread sums every 256th element in order, then a tree combines the threads. So the order depends only on
// the number of columns.
template <class T> struct row_sum {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const row_arguments& r) const {
    const T* const x = static_cast<const T*>(r.x) + b.index() * r.columns;
    const std::int64_t columns = r.columns;
    T* const parts = b.template shared<T>();
    b.each(threads_per_block, [=] FLOWGRAPH_FUNCTION(std::int64_t thread) {
      T sum = 0;
      for (std::int64_t i = thread; i < columns; i += threads_per_block) sum += x[i];
      parts[thread] = sum;
    });
    for (std::int64_t half = threads_per_block / 2; half > 0; half /= 2)
      b.each(half, [=] FLOWGRAPH_FUNCTION(std::int64_t i) { parts[i] += parts[i + half]; });
    T* const y = static_cast<T*>(r.y) + b.index();
    b.each(1, [=] FLOWGRAPH_FUNCTION(std::int64_t) { *y = parts[0]; });
  }
};

}  // namespace flowgraph::cuda
