#pragma once
// The dense product whose left matrix is not in memory as a matrix: each of its rows consists of runs at given places.
// Convolutions use it to read the windows of images in place.
//
// The blocks of k and the order within a block are those of the product, so that the bits are the same as those of a product
// with a copy of the rows.

#include <flowgraph/ops/kernel/product.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel {

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

  // The rows of a tile: row i is element offset[i] of entry[i].
  template <int Rows> struct tile_rows {
    std::int64_t offset[unsigned(Rows)], entry[unsigned(Rows)];

    tile_rows(const gathered_shape& s, std::int64_t row) {
      for (int i = 0; i < Rows; ++i) {
        const std::int64_t at = s.first_row + row + i;
        entry[i] = s.row_depth == 1 ? at : at / s.row_depth;
        offset[i] = s.row_depth == 1 ? 0 : at % s.row_depth;
      }
    }
    // Returns whether the rows are adjacent elements of one entry.
    bool adjacent() const { return Rows > 1 && entry[0] == entry[Rows - 1]; }
    // Returns whether a run is zero in all rows.
    bool all_zero(const std::int64_t* places) const {
      if (places[entry[0]] != gathered_shape::zero) return false;
      std::int64_t others = 0;
      for (int row = 1; row < Rows; ++row) others |= places[entry[row]] ^ gathered_shape::zero;
      return others == 0;
    }
  };

  // Adds `count` products of a run to the sums, and advances in the panel b. If the rows are adjacent, only the first has a pointer:
  // the loop then needs few registers. The other loop has a pointer for each row, and all registers.
  template <int Rows, int Vectors, bool Adjacent>
  FLOWGRAPH_ALWAYS_INLINE static void add_run(const T* const* from, std::int64_t step, std::int64_t count, const T*& b,
                                              [[maybe_unused]] std::int64_t next, P (&sum)[unsigned(Rows)][unsigned(Vectors)]) {
    const T* const end = b + count * product_parts<Level, T>::columns;
    for (std::int64_t at = 0; b != end; at += step, b += product_parts<Level, T>::columns) {
      P factor[unsigned(Vectors)];
      if constexpr (Rows == product_parts<Level, T>::rows) __builtin_prefetch(b + next, 0, 2);
      FLOWGRAPH_UNROLL
      for (int v = 0; v < Vectors; ++v) factor[v] = P::load(b + v * P::width);
      FLOWGRAPH_UNROLL
      for (int row = 0; row < Rows; ++row) {
        const P left = Adjacent ? from[0][at + row] : from[row][at];
        FLOWGRAPH_UNROLL
        for (int v = 0; v < Vectors; ++v) sum[row][v] = fma(left, factor[v], sum[row][v]);
      }
    }
  }

  // Sums the products of one block of k. Runs that are zero in all rows are left out if `skip` is set. Returns whether there
  // was one.
  template <int Rows, int Vectors, bool Adjacent>
  FLOWGRAPH_ALWAYS_INLINE static bool sum_runs(const gathered_shape& s, const left& a, const tile_rows<Rows>& rows,
                                               const right& b, std::int64_t depth, bool skip,
                                               P (&sum)[unsigned(Rows)][unsigned(Vectors)]) {
    bool skipped = false;
    const T* at = b.at;
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
      if (skip && (Adjacent ? places[rows.entry[0]] == gathered_shape::zero : rows.all_zero(places))) {
        skipped = true;
        at += count * product_parts<Level, T>::columns;
        continue;
      }
      const T* from[unsigned(Rows)];
      FLOWGRAPH_UNROLL
      for (int row = 0; row < (Adjacent ? 1 : Rows); ++row) {
        const std::int64_t place = places[rows.entry[row]];
        from[row] = place == gathered_shape::zero ? a.border : a.at + (place + rows.offset[row]);
        from[row] += begin * s.step;
      }
      add_run<Rows, Vectors, Adjacent>(from, s.step, count, at, b.next, sum);
    }
    return skipped;
  }

  template <int Rows, int Vectors, bool Adjacent>
  static void tile(const gathered_shape& s, const left& a, const tile_rows<Rows>& rows, const right& b, std::int64_t depth,
                   std::int64_t row, const target& c) {
    const std::int64_t* const targets = s.targets + row;
    FLOWGRAPH_UNROLL
    for (int i = 0; i < Rows; ++i) product_parts<Level, T>::template request<Vectors>(c.at + targets[i]);
    P sum[unsigned(Rows)][unsigned(Vectors)];
    // The products with zeros would have changed nothing but the sign of a zero.
    for (bool skip = s.skip_zeros; sum_runs<Rows, Vectors, Adjacent>(s, a, rows, b, depth, skip, sum); skip = false)
      if (!has_negative_zero<Rows, Vectors>(sum)) break;
    if (c.columns < Vectors * P::width) {
      T edge[Rows * Vectors * P::width];
      FLOWGRAPH_UNROLL
      for (int i = 0; i < Rows; ++i) {
        FLOWGRAPH_UNROLL
        for (int v = 0; v < Vectors; ++v) sum[i][v].store(edge + (i * Vectors + v) * P::width);
      }
      put_rows(edge, Rows, Vectors * P::width, targets, c);
      return product_parts<Level, T>::finish(c, targets, Rows);
    }
    if (c.accumulate) {
      FLOWGRAPH_UNROLL
      for (int i = 0; i < Rows; ++i) {
        FLOWGRAPH_UNROLL
        for (int v = 0; v < Vectors; ++v) sum[i][v] = P::load(c.at + targets[i] + v * P::width) + sum[i][v];
      }
    }
    const auto row_at = [&](int i) __attribute__((always_inline)) { return c.at + targets[i]; };
    const bool finished = product_parts<Level, T>::template finish_in_registers<Rows, Vectors>(c, row_at, sum);
    FLOWGRAPH_UNROLL
    for (int i = 0; i < Rows; ++i) {
      FLOWGRAPH_UNROLL
      for (int v = 0; v < Vectors; ++v) sum[i][v].store(c.at + targets[i] + v * P::width);
    }
    if (!finished) product_parts<Level, T>::finish(c, targets, Rows);
  }

  // Returns whether one of the sums is -0.
  template <int Rows, int Vectors>
  FLOWGRAPH_ALWAYS_INLINE static bool has_negative_zero(const P (&sum)[unsigned(Rows)][unsigned(Vectors)]) {
    const auto negative_zero = P(T(-0.0)).bits();
    auto found = sum[0][0].bits() == negative_zero;
    FLOWGRAPH_UNROLL
    for (int i = 0; i < Rows * Vectors; ++i) found |= sum[i / Vectors][i % Vectors].bits() == negative_zero;
    std::uint64_t words[sizeof(found) / sizeof(std::uint64_t)], any = 0;
    __builtin_memcpy(words, &found, sizeof(found));
    for (const std::uint64_t word : words) any |= word;
    return any != 0;
  }

  static void put_rows(const T* sums, int height, std::int64_t step, const std::int64_t* targets, target c) {
    for (int i = 0; i < height; ++i)
      product_parts<Level, T>::put_edge(sums + i * step, 1, 0,
                                        {c.at + targets[i], 0, c.columns < step ? c.columns : step, c.accumulate});
  }

  // Computes rows from `row` on of a panel of c. Tiles are of three heights and one width, so that the code is small.
  template <int Rows>
  static void tiles(const gathered_shape& s, const left& a, right b, std::int64_t depth, std::int64_t row, const target& c) {
    constexpr int vectors = product_parts<Level, T>::vectors;
    for (; row + Rows <= s.m; row += Rows, b.next = product_parts<Level, T>::following(b.next)) {
      const tile_rows<Rows> rows(s, row);
      if constexpr (Rows == product_parts<Level, T>::rows) {
        if (rows.adjacent()) {
          tile<Rows, vectors, true>(s, a, rows, b, depth, row, c);
          continue;
        }
      }
      tile<Rows, vectors, false>(s, a, rows, b, depth, row, c);
    }
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
  const std::int64_t depth_step = parts::block_depth(s.k), panel_step = s.is_b_packed ? parts::panel_size(s.k) : 0;
  typename parts::left left{a, border, {0, 0}};
  for (std::int64_t p = 0; p < s.k; p += depth_step) {
    const std::int64_t depth = parts::smaller(depth_step, s.k - p);
    for (std::int64_t column = 0; column < s.n; column += parts::columns) {
      const std::int64_t used = parts::smaller(parts::columns, s.n - column);
      typename parts::right panel{packed, parts::columns, column + parts::columns < s.n ? panel_step : 0};
      if (s.is_b_packed) panel.at = parts::in_panel(b, p, depth_step) + column / parts::columns * panel_step;
      else if (s.transpose_b) parts::pack_right_transposed(b + column * s.ldb + p, s.ldb, depth, used, packed);
      else parts::pack_right(b + p * s.ldb + column, s.ldb, depth, used, packed);
      const auto to = parts::panel_of({c, 0, s.n, p > 0 || s.accumulate, p + depth == s.k ? s.finish : nullptr}, column, used);
      parts::template tiles<parts::rows>(s, left, panel, depth, 0, to);
    }
    left.from.advance(s, depth);
  }
}

}  // namespace flowgraph::kernel

#include <flowgraph/show_names.hpp>
