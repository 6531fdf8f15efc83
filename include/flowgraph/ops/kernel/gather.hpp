#pragma once
// The dense product whose left matrix is not in memory as a matrix: each of its rows consists of runs at given places.
// Convolutions use it to read the windows of images in place.
//
// The blocks of k and the order within a block are those of the product, so that the bits are the same as those of a product
// with a copy of the rows.

#include <flowgraph/ops/kernel/product.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace kernel {

// The parts of a gathered product, for one level and element type.
template <class Level, class T> struct gathered_parts : product_parts<Level, T> {
  using typename product_parts<Level, T>::P;
  using typename product_parts<Level, T>::right;
  using typename product_parts<Level, T>::target;

  static std::int64_t length(const gathered_shape& s, std::int64_t run) { return s.lengths ? s.lengths[run] : s.run; }

  // An element of every row: element `offset` of run `run`.
  struct position {
    std::int64_t run, offset;

    void advance(const gathered_shape& s, std::int64_t depth) {
      for (offset += depth; offset > 0 && offset >= length(s, run); ++run) offset -= length(s, run);
    }
  };
  struct left {
    const T* at;
    const T* border;
    position from;
  };

  // Sums the products of one block of k. Runs that are zero in all rows are left out if `skip` is set. Returns whether there
  // was one.
  template <int Rows, int Vectors>
  FLOWGRAPH_ALWAYS_INLINE static bool sum_runs(const gathered_shape& s, const left& a,
                                               const std::int64_t (&offset)[unsigned(Rows)],
                                               const std::int64_t (&entry)[unsigned(Rows)], right b, std::int64_t depth,
                                               bool skip, P (&sum)[unsigned(Rows)][unsigned(Vectors)]) {
    bool skipped = false;
    std::int64_t begin = a.from.offset;
    const std::int64_t* places = s.places + a.from.run * s.entries;
    FLOWGRAPH_UNROLL
    for (int row = 0; row < Rows; ++row) {
      FLOWGRAPH_UNROLL
      for (int v = 0; v < Vectors; ++v) sum[row][v] = T(0);
    }
    for (std::int64_t run = a.from.run; depth > 0; ++run, places += s.entries, begin = 0) {
      const std::int64_t rest = length(s, run) - begin, count = rest < depth ? rest : depth;
      depth -= count;
      if (skip && places[entry[0]] == gathered_shape::zero) {
        std::int64_t others = 0;
        for (int row = 1; row < Rows; ++row) others |= places[entry[row]] ^ gathered_shape::zero;
        if (others == 0) {
          skipped = true;
          b.at += count * b.step;
          continue;
        }
      }
      const T* from[unsigned(Rows)];
      FLOWGRAPH_UNROLL
      for (int row = 0; row < Rows; ++row) {
        const std::int64_t place = places[entry[row]];
        const T* const start = place == gathered_shape::zero ? a.border : a.at;
        const std::int64_t distance = place == gathered_shape::zero ? 0 : place + offset[row];
        from[row] = start + (distance + begin * s.step);
      }
      for (std::int64_t p = 0, at = 0; p < count; ++p, at += s.step, b.at += b.step) {
        P factor[unsigned(Vectors)];
        FLOWGRAPH_UNROLL
        for (int v = 0; v < Vectors; ++v) factor[v] = P::load(b.at + v * P::width);
        FLOWGRAPH_UNROLL
        for (int row = 0; row < Rows; ++row) {
          const P left = from[row][at];
          FLOWGRAPH_UNROLL
          for (int v = 0; v < Vectors; ++v) sum[row][v] = fma(left, factor[v], sum[row][v]);
        }
      }
    }
    return skipped;
  }

  template <int Rows, int Vectors>
  static void tile(const gathered_shape& s, const left& a, right b, std::int64_t depth, std::int64_t row, target c) {
    std::int64_t offset[unsigned(Rows)], entry[unsigned(Rows)];
    for (int i = 0; i < Rows; ++i) {
      const std::int64_t at = s.first_row + row + i;
      entry[i] = s.row_depth == 1 ? at : at / s.row_depth;
      offset[i] = s.row_depth == 1 ? 0 : at % s.row_depth;
    }
    const std::int64_t* const targets = s.targets + row;
    FLOWGRAPH_UNROLL
    for (int i = 0; i < Rows; ++i) product_parts<Level, T>::template request<Vectors>(c.at + targets[i]);
    P sum[unsigned(Rows)][unsigned(Vectors)];
    T edge[Rows * Vectors * P::width];
    for (bool skip = s.skip_zeros;; skip = false) {
      const bool skipped = sum_runs<Rows, Vectors>(s, a, offset, entry, b, depth, skip, sum);
      if (!skipped && c.columns >= Vectors * P::width) break;
      FLOWGRAPH_UNROLL
      for (int i = 0; i < Rows; ++i) {
        FLOWGRAPH_UNROLL
        for (int v = 0; v < Vectors; ++v) sum[i][v].store(edge + (i * Vectors + v) * P::width);
      }
      // The products with zeros would have changed nothing but the sign of a zero.
      if (skipped && has_negative_zero(edge, Rows * Vectors * P::width)) continue;
      return put_rows(edge, Rows, Vectors * P::width, targets, c);
    }
    FLOWGRAPH_UNROLL
    for (int i = 0; i < Rows; ++i) {
      T* const to = c.at + targets[i];
      FLOWGRAPH_UNROLL
      for (int v = 0; v < Vectors; ++v) {
        if (c.accumulate) sum[i][v] = P::load(to + v * P::width) + sum[i][v];
        sum[i][v].store(to + v * P::width);
      }
    }
  }

  // Returns whether one of `n` sums, whole packets, is -0.
  static bool has_negative_zero(const T* sums, std::int64_t n) {
    auto found = P::load(sums).bits() == P(T(-0.0)).bits();
    for (std::int64_t i = P::width; i < n; i += P::width) found |= P::load(sums + i).bits() == P(T(-0.0)).bits();
    for (unsigned lane = 0; lane < P::width; ++lane)
      if (found[lane]) return true;
    return false;
  }

  static void put_rows(const T* sums, int height, std::int64_t step, const std::int64_t* targets, target c) {
    for (int i = 0; i < height; ++i)
      product_parts<Level, T>::put_edge(sums + i * step, 1, 0,
                                        {c.at + targets[i], 0, c.columns < step ? c.columns : step, c.accumulate});
  }

  // Computes rows from `row` on of a panel of c. Tiles are of three heights and one width, so that the code is small.
  template <int Rows>
  static void tiles(const gathered_shape& s, const left& a, right b, std::int64_t depth, std::int64_t row, target c) {
    for (; row + Rows <= s.m; row += Rows) tile<Rows, product_parts<Level, T>::vectors>(s, a, b, depth, row, c);
    if constexpr (Rows > 1) {
      if (row < s.m) tiles<(Rows > 4 ? 4 : 1)>(s, a, b, depth, row, c);
    }
  }
};

template <>
template <class T>
void kernels<own>::gathered_product(const gathered_shape& s, const T* a, const T* border, const T* b, T* c, T* scratch) {
  using parts = gathered_parts<own, T>;
  T* const packed = parts::align(scratch);
  const std::int64_t depth_step = parts::block_depth(s.k);
  typename parts::left left{a, border, {0, 0}};
  for (std::int64_t p = 0; p < s.k; p += depth_step) {
    const std::int64_t depth = parts::smaller(depth_step, s.k - p);
    for (std::int64_t column = 0; column < s.n; column += parts::columns) {
      const std::int64_t used = parts::smaller(parts::columns, s.n - column);
      const T* const from = b + (s.transpose_b ? column * s.ldb + p : p * s.ldb + column);
      typename parts::right panel{packed, parts::columns};
      if (s.transpose_b) parts::pack_right_transposed(from, s.ldb, depth, used, packed);
      else if (used < parts::columns || s.m > parts::direct_height) parts::pack_right(from, s.ldb, depth, used, packed);
      else panel = {from, s.ldb};
      const typename parts::target to{c + column, 0, used, p > 0 || s.accumulate};
      parts::template tiles<parts::rows>(s, left, panel, depth, 0, to);
    }
    left.from.advance(s, depth);
  }
}

}
}
}  // namespace flowgraph::kernel

#include <flowgraph/show_names.hpp>
