#pragma once
// The dense matrix product: panels of b stay in the first-level cache, and tiles of c stay in registers.
//
// Every element of c is a sum over blocks of k in order, and each block is summed by fma in the order of k. The blocks depend
// only on k. All paths below keep this order, so the bits of an element do not depend on its tile or on the path.

#include <flowgraph/ops/kernel/finish.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel {

namespace FLOWGRAPH_LEVEL {

// A tile has `rows` x `vectors` packets, as many as the registers can contain.
struct product_tile {
#if FLOWGRAPH_LEVEL_USED == FLOWGRAPH_LEVEL_AVX512
  static constexpr int rows = 12;
#elif FLOWGRAPH_LEVEL_USED == FLOWGRAPH_LEVEL_NEON
  static constexpr int rows = 8;
#elif FLOWGRAPH_LEVEL_USED == FLOWGRAPH_LEVEL_AVX2
  static constexpr int rows = 6;
#else
  static constexpr int rows = 4;
#endif
  static constexpr int vectors = 2;
};

}  // namespace FLOWGRAPH_LEVEL

// The parts of a product, for one level and element type.
template <class Level, class T> struct product_parts {
  using P = FLOWGRAPH_LEVEL::packet<T>;
  static constexpr int rows = FLOWGRAPH_LEVEL::product_tile::rows;
  static constexpr int vectors = FLOWGRAPH_LEVEL::product_tile::vectors;
  static constexpr int wide_vectors = 4 * vectors;  // the number of packets in a tile of one row
  static constexpr std::int64_t columns = vectors * P::width;
  static constexpr std::int64_t largest_depth = 256;  // the largest block of k; a panel of b then has at most 32 KB
  // The number of rows of a that share the second-level cache, which has 1 MB or more on most processors with AVX-512.
  static constexpr std::int64_t largest_height = P::width < 16 ? 192 : 384;
  static constexpr std::int64_t direct_height = 2 * rows;  // up to this height, packing b does not pay: it is read at most twice
  static constexpr std::int64_t line = 64 / sizeof(T);

  static std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

  // Returns the size of equal blocks of k. It is a multiple of 4, except for the last block.
  static std::int64_t block_depth(std::int64_t k) {
    const std::int64_t blocks = (k + largest_depth - 1) / largest_depth;
    return blocks <= 1 ? k : (k + 4 * blocks - 1) / (4 * blocks) * 4;
  }

  // A panel of `rows` rows of a. Element (row, p) is at row * row_step + p * depth_step.
  struct left {
    const T* at;
    std::int64_t row_step, depth_step, panel_step;
  };
  struct right {
    const T* at;
    std::int64_t step;
    std::int64_t next = 0;  // the distance from a row to the row of the next panel that the loop prefetches; 0: none
  };
  // The rows of b for one block of k. If b is packed, its panels are `panel_step` apart; otherwise panel_step is 0.
  struct right_block {
    const T* at;
    std::int64_t step;
    bool is_transposed;
    std::int64_t panel_step;

    bool is_packed() const { return panel_step > 0; }
  };
  struct target {
    T* at;
    std::int64_t step;
    std::int64_t columns;  // fewer than a tile has at the right edge
    bool accumulate;
    const functor::result_finish* finish = nullptr;
    std::int64_t finish_column = 0;  // the column of the result in which `at` is, if there is a finish
  };

  // Returns the target of a panel of columns.
  static target panel_of(const target& c, std::int64_t column, std::int64_t used) {
    target outcome{c.at + column, c.step, used, c.accumulate, c.finish};
    if constexpr (__is_same(T, float))
      if (c.finish) outcome.finish_column = (outcome.at - c.finish->result) % c.finish->columns;
    return outcome;
  }

  // Finishes rows of c, which have been stored: `targets` is null if they are c.step apart.
  static void finish(const target& c, const std::int64_t* targets, std::int64_t count) {
    if constexpr (__is_same(T, float))
      if (c.finish) kernels<Level>::template finish<T>(*c.finish, {c.at, targets, c.step, count, c.columns});
  }
  // Finishes the sums of a largest tile, which row(i) will receive. Returns false if `finish` must do so after they are stored.
  template <int Rows, int Vectors, class Row>
  FLOWGRAPH_ALWAYS_INLINE static bool finish_in_registers([[maybe_unused]] const target& c, [[maybe_unused]] const Row& row,
                                                          [[maybe_unused]] P (&sum)[unsigned(Rows)][unsigned(Vectors)]) {
    if constexpr (__is_same(T, float) && Rows == rows && Vectors == vectors) {
      if (c.finish) FLOWGRAPH_LEVEL::finish_sums<Rows, Vectors, T>(*c.finish, c.finish_column, row, sum);
      return true;
    } else {
      return false;
    }
  }
  // Prefetches the cache lines of a row of c before its sums are computed, because a store to a cache line that is in no cache
  // waits for the memory.
  template <int Vectors> FLOWGRAPH_ALWAYS_INLINE static void request(const T* row) {
    FLOWGRAPH_UNROLL
    for (std::int64_t at = 0; at < Vectors * P::width; at += line) __builtin_prefetch(row + at, 1);
  }

  // Sums the products of one block of k.
  template <int Rows, int Vectors>
  FLOWGRAPH_ALWAYS_INLINE static void sum_block(const left& a, right b, std::int64_t depth,
                                                P (&sum)[unsigned(Rows)][unsigned(Vectors)]) {
    // One pointer for every four rows; addressing modes reach the other rows.
    constexpr int groups = (Rows + 3) / 4;
    const T* group[unsigned{groups}];
    FLOWGRAPH_UNROLL
    for (int i = 0; i < groups; ++i) group[i] = a.at + 4 * i * a.row_step;
    FLOWGRAPH_UNROLL
    for (int row = 0; row < Rows; ++row) {
      FLOWGRAPH_UNROLL
      for (int v = 0; v < Vectors; ++v) sum[row][v] = T(0);
    }
    for (std::int64_t p = 0; p < depth; ++p) {
      P factor[unsigned{Vectors}];
      if constexpr (Rows == rows) __builtin_prefetch(b.at + b.next, 0, 2);
      FLOWGRAPH_UNROLL
      for (int v = 0; v < Vectors; ++v) factor[v] = P::load(b.at + v * P::width);
      FLOWGRAPH_UNROLL
      for (int row = 0; row < Rows; ++row) {
        const P left = group[row / 4][row % 4 * a.row_step];
        FLOWGRAPH_UNROLL
        for (int v = 0; v < Vectors; ++v) sum[row][v] = fma(left, factor[v], sum[row][v]);
      }
      FLOWGRAPH_UNROLL
      for (int i = 0; i < groups; ++i) group[i] += a.depth_step;
      b.at += b.step;
    }
  }

  // Takes references, because copies of structures that the caller has just written would wait for its stores.
  template <int Rows, int Vectors> static void tile(const left& a, const right& b, std::int64_t depth, const target& c) {
    if constexpr (Rows == rows) {
      FLOWGRAPH_UNROLL
      for (int row = 0; row < Rows; ++row) request<Vectors>(c.at + (row + Rows) * c.step);  // of the next tile
    }
    P sum[unsigned(Rows)][unsigned(Vectors)];
    sum_block<Rows, Vectors>(a, b, depth, sum);
    const bool whole = c.columns >= Vectors * P::width;
    if (whole && c.accumulate) {
      FLOWGRAPH_UNROLL
      for (int row = 0; row < Rows; ++row) {
        FLOWGRAPH_UNROLL
        for (int v = 0; v < Vectors; ++v) sum[row][v] = P::load(c.at + row * c.step + v * P::width) + sum[row][v];
      }
    }
    const auto row_at = [&](int row) __attribute__((always_inline)) { return c.at + row * c.step; };
    const bool finished = whole && finish_in_registers<Rows, Vectors>(c, row_at, sum);
    // At the right edge, sums pass through memory to code that all tiles share.
    T edge[Rows * Vectors * P::width];
    T* to = whole ? c.at : edge;
    const std::int64_t step = whole ? c.step : Vectors * P::width;
    FLOWGRAPH_UNROLL
    for (int row = 0; row < Rows; ++row) {
      FLOWGRAPH_UNROLL
      for (int v = 0; v < Vectors; ++v) sum[row][v].store(to + row * step + v * P::width);
    }
    if (!whole) put_edge(edge, Rows, step, c);
    if (!finished) finish(c, nullptr, Rows);
  }

  static void put_edge(const T* sums, int height, std::int64_t step, target c) {
    for (int row = 0; row < height; ++row, c.at += c.step, sums += step) {
      for (std::int64_t column = 0; column < c.columns; column += P::width) {
        const std::int64_t n = c.columns - column;
        P sum = P::load(sums + column);
        if (n >= P::width) {
          if (c.accumulate) sum = P::load(c.at + column) + sum;
          sum.store(c.at + column);
        } else {
          if (c.accumulate) sum = P::load(c.at + column, n, 0) + sum;
          sum.store(c.at + column, n);
        }
      }
    }
  }

  // The first tile prefetches the first line of each row of the next panel, and the second tile the second line.
  static std::int64_t following(std::int64_t next) { return next > 0 && next % columns == 0 && columns > line ? next + line : 0; }

  // Computes all rows of a panel of c, with the tallest tiles that fit.
  template <int Rows, int Vectors> static void tiles(left a, right b, std::int64_t depth, target c, std::int64_t height) {
    for (; height >= Rows; height -= Rows) {
      tile<Rows, Vectors>(a, b, depth, c);
      b.next = following(b.next);
      a.at += Rows == rows ? a.panel_step : Rows * a.row_step;
      c.at += Rows * c.step;
    }
    if constexpr (Rows > 1) {
      if (height > 0) tiles<(Rows > 4 ? 4 : Rows / 2), Vectors>(a, b, depth, c, height);
    }
  }

  // Adds `count` products of `depth` to a tile of c, one after the other. Product i reads its rows i * next_left and i * next_right
  // behind those of the first product. Between products, the sums are in adjacent memory, since the rows of c may share a set of
  // the first-level cache.
  template <int Rows>
  static void sum_tile(const T* a, const T* b, std::int64_t depth, std::int64_t count, std::int64_t next_left,
                       std::int64_t next_right, const target& c) {
    alignas(64) T sums[unsigned{Rows * columns}];
    const bool whole = c.columns >= columns;
    FLOWGRAPH_UNROLL
    for (int row = 0; row < Rows; ++row) request<vectors>(c.at + row * c.step);
    if (!whole) get_edge(c, Rows, sums);
    for (std::int64_t i = 0; i < count; ++i, a += next_left, b += next_right) {
      P sum[unsigned(Rows)][unsigned(vectors)];
      sum_block<Rows, vectors>({a, 1, rows, 0}, {b, columns}, depth, sum);
      const bool first = whole && i == 0, last = whole && i == count - 1;
      const T* from = first ? c.at : sums;
      T* to = last ? c.at : sums;
      const std::int64_t from_step = first ? c.step : columns, to_step = last ? c.step : columns;
      FLOWGRAPH_UNROLL
      for (int row = 0; row < Rows; ++row, from += from_step, to += to_step) {
        FLOWGRAPH_UNROLL
        for (int v = 0; v < vectors; ++v) (P::load(from + v * P::width) + sum[row][v]).store(to + v * P::width);
      }
    }
    if (!whole) put_edge(sums, Rows, columns, {c.at, c.step, c.columns, false});
  }
  static void get_edge(target c, int height, T* to) {
    for (int row = 0; row < height; ++row, c.at += c.step, to += columns)
      for (std::int64_t column = 0; column < columns; ++column) to[column] = column < c.columns ? c.at[column] : T(0);
  }

  // Adds products to all rows of a panel of c.
  template <int Rows>
  static void sum_tiles(const T* a, const T* b, std::int64_t depth, std::int64_t count, std::int64_t next_left,
                        std::int64_t next_right, target c, std::int64_t height) {
    for (; height >= Rows; height -= Rows) {
      sum_tile<Rows>(a, b, depth, count, next_left, next_right, c);
      a += Rows == rows ? rows * depth : Rows;
      c.at += Rows * c.step;
    }
    if constexpr (Rows > 1) {
      if (height > 0) sum_tiles<(Rows > 4 ? 4 : 1)>(a, b, depth, count, next_left, next_right, c, height);
    }
  }

  // Packs a panel of `columns` columns of b, row by row. Columns beyond the edge are filled with 0. Prefetches the next panel: its
  // rows are too far apart for the processor to do so.
  static void pack_right(const T* b, std::int64_t ldb, std::int64_t depth, std::int64_t used, T* packed) {
    for (std::int64_t p = 0; p < depth; ++p, b += ldb) {
      FLOWGRAPH_UNROLL
      for (std::int64_t at = columns; at < 2 * columns; at += line) __builtin_prefetch(b + at, 0, 2);
      for (int v = 0; v < vectors; ++v, packed += P::width) {
        const std::int64_t n = used - v * P::width;
        (n >= P::width ? P::load(b + v * P::width) : n > 0 ? P::load(b + v * P::width, n, 0) : P(T(0))).store(packed);
      }
    }
  }

  // Packs a panel of a transposed b, whose columns are `ldb` apart. Writes rows up to a multiple of the packet's width.
  static void pack_right_transposed(const T* b, std::int64_t ldb, std::int64_t depth, std::int64_t used, T* packed) {
    for (int v = 0; v < vectors; ++v) {
      for (std::int64_t p = 0; p < depth; p += P::width) {
        P block[P::width];
        load_block(b + v * P::width * ldb + p, ldb, used - v * P::width, depth - p, block);
        transpose(block);
        FLOWGRAPH_UNROLL
        for (int i = 0; i < P::width; ++i) block[i].store(packed + (p + i) * columns + v * P::width);
      }
    }
  }

  // Packs a transposed a in panels of `rows` rows; elements with the same p are adjacent. Other matrices a are read in place. Writes
  // whole packets, whose end the next elements overwrite, so up to a packet behind the panels is written too.
  static void pack_left(const T* a, std::int64_t lda, std::int64_t depth, std::int64_t height, T* packed) {
    for (; height > 0; height -= rows, a += rows) {
      const T* from = a;
      for (std::int64_t p = 0; p < depth; ++p, from += lda, packed += rows) {
        FLOWGRAPH_UNROLL
        for (int i = 0; i < rows; i += P::width) {
          const std::int64_t n = height - i;
          if (n > 0) (n >= P::width ? P::load(from + i) : P::load(from + i, n, 0)).store(packed + i);
        }
      }
    }
  }

  // Loads a block of `height` x `width` elements, each at most the packet's width. The remaining elements are 0.
  FLOWGRAPH_ALWAYS_INLINE static void load_block(const T* from, std::int64_t step, std::int64_t height, std::int64_t width,
                                                 P (&block)[P::width]) {
    FLOWGRAPH_UNROLL
    for (int i = 0; i < P::width; ++i) {
      block[i] = i >= height ? P(T(0)) : width >= P::width ? P::load(from + i * step) : P::load(from + i * step, width, 0);
    }
  }

  // Computes the columns of a single row that wide tiles cover, and returns their number. b is read in place. A single row needs
  // wide tiles, since few sums do not hide the latency of fma.
  static std::int64_t single_row(left a, right b, std::int64_t depth, target c) {
    constexpr std::int64_t wide = wide_vectors * P::width;
    std::int64_t column = 0;
    for (; column + wide <= c.columns; column += wide) {
      tile<1, wide_vectors>(a, {b.at + column, b.step}, depth, {c.at + column, c.step, wide, c.accumulate, c.finish});
    }
    return column;
  }

  // Computes one block of k for `height` rows and all columns.
  static void block(left a, const right_block& b, std::int64_t depth, target c, std::int64_t height, T* packed) {
    const bool is_plain = !b.is_packed() && !b.is_transposed;
    std::int64_t column = height == 1 && is_plain ? single_row(a, {b.at, b.step}, depth, c) : 0;
    for (; column < c.columns; column += columns) {
      const std::int64_t used = smaller(columns, c.columns - column);
      right panel{b.at + (b.is_transposed ? column * b.step : column), b.step};
      if (b.is_packed()) {
        panel = {b.at + column / columns * b.panel_step, columns, column + columns < c.columns ? b.panel_step : 0};
      } else if (b.is_transposed || used < columns || height > direct_height) {
        if (b.is_transposed) pack_right_transposed(panel.at, b.step, depth, used, packed);
        else pack_right(panel.at, b.step, depth, used, packed);
        panel = {packed, columns};
      }
      const target to = panel_of(c, column, used);
      if (used > P::width) tiles<rows, vectors>(a, panel, depth, to, height);
      else tiles<rows, 1>(a, panel, depth, to, height);
    }
  }

  // Computes a product, a transposed, and then adds it to c.
  static void add_product(const product_shape& shape, const T* a, const T* b, T* c, T* scratch) {
    constexpr std::int64_t band = 48;
    alignas(64) T part[unsigned(band * columns)];
    for (std::int64_t row = 0; row < shape.m; row += band)
      for (std::int64_t column = 0; column < shape.n; column += columns) {
        const std::int64_t height = smaller(band, shape.m - row), width = smaller(columns, shape.n - column);
        kernels<Level>::template product<T>({height, width, shape.k, shape.lda, shape.ldb, columns, true, false, false}, a + row,
                                            b + column, part, scratch);
        for (std::int64_t i = 0; i < height; ++i)
          for (std::int64_t j = 0; j < width; ++j) {
            T& to = c[(row + i) * shape.ldc + column + j];
            to = to + part[i * columns + j];
          }
      }
  }

  // ---- packed matrices b: all panels of columns one after the other, and in each panel all blocks of k

  // Returns the row of a packed panel with which the block of k from row `p` begins.
  static std::int64_t packed_row(std::int64_t p, std::int64_t step) { return p == 0 ? 0 : p / step * round_up(step, P::width); }
  static const T* in_panel(const T* panel, std::int64_t p, std::int64_t step) { return panel + packed_row(p, step) * columns; }
  // Returns the elements of a packed panel.
  static std::int64_t panel_size(std::int64_t k) {
    const std::int64_t step = block_depth(k), last = k == 0 ? 0 : (k - 1) / step * step;
    return (packed_row(last, step) + round_up(k - last, P::width)) * columns;
  }
  static void pack_panel(const product_shape& shape, const T* b, std::int64_t used, T* packed) {
    const std::int64_t step = block_depth(shape.k);
    for (std::int64_t p = 0; p < shape.k; p += step) {
      const std::int64_t depth = smaller(step, shape.k - p);
      T* const to = packed + packed_row(p, step) * columns;
      if (shape.transpose_b) pack_right_transposed(b + p, shape.ldb, depth, used, to);
      else pack_right(b + p * shape.ldb, shape.ldb, depth, used, to);
    }
  }

  static T* align(T* p) {
    const std::int64_t past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(p) / sizeof(T)) % line;
    return p + (line - past) % line;
  }
  static std::int64_t round_up(std::int64_t n, std::int64_t step) { return (n + step - 1) / step * step; }
};

template <> template <class T> std::int64_t kernels<own>::product_scratch(const product_shape& shape) {
  using parts = product_parts<own, T>;
  const std::int64_t depth = parts::round_up(parts::smaller(shape.k, parts::largest_depth), parts::P::width);
  const std::int64_t height = parts::round_up(parts::smaller(shape.m, parts::largest_height), parts::rows);
  return parts::line + depth * (parts::columns + (shape.transpose_a ? height : 0)) + (shape.transpose_a ? parts::P::width : 0);
}

template <> template <class T> void kernels<own>::product(const product_shape& shape, const T* a, const T* b, T* c, T* scratch) {
  using parts = product_parts<own, T>;
  if (shape.k <= 0 && !shape.accumulate) {
    for (std::int64_t row = 0; row < shape.m; ++row)
      for (std::int64_t column = 0; column < shape.n; ++column) c[row * shape.ldc + column] = 0;
    parts::finish({c, shape.ldc, shape.n, false, shape.finish}, nullptr, shape.m);
  }
  T* packed_right = parts::align(scratch);
  const std::int64_t depth_step = parts::block_depth(shape.k), panel_step = shape.is_b_packed ? parts::panel_size(shape.k) : 0;

  for (std::int64_t row = 0; row < shape.m; row += parts::largest_height) {
    const std::int64_t height = parts::smaller(parts::largest_height, shape.m - row);
    for (std::int64_t p = 0; p < shape.k; p += depth_step) {
      const std::int64_t depth = parts::smaller(depth_step, shape.k - p);
      typename parts::left left{a + row * shape.lda + p, shape.lda, 1, parts::rows * shape.lda};
      if (shape.transpose_a) {
        T* const packed_left = packed_right + parts::round_up(depth_step, parts::P::width) * parts::columns;
        parts::pack_left(a + p * shape.lda + row, shape.lda, depth, height, packed_left);
        left = {packed_left, 1, parts::rows, depth * parts::rows};
      }
      typename parts::right_block right{b + (shape.transpose_b ? p : p * shape.ldb), shape.ldb, shape.transpose_b, 0};
      if (shape.is_b_packed) right = {parts::in_panel(b, p, depth_step), parts::columns, false, panel_step};
      const bool is_last = p + depth == shape.k;
      const typename parts::target to{c + row * shape.ldc, shape.ldc, shape.n, p > 0 || shape.accumulate,
                                      is_last ? shape.finish : nullptr};
      parts::block(left, right, depth, to, height, packed_right);
    }
  }
}

template <>
template <class T>
void kernels<own>::product_sum(const product_shape& shape, std::int64_t count, const T* const* a, const T* const* b,
                               std::int64_t a_offset, std::int64_t b_offset, T* c, T* scratch) {
  using parts = product_parts<own, T>;
  // The sum of a product has no block of k, which leaves 0, or several blocks, which are added to each other before they are added to c.
  if (shape.k <= 0 || shape.k > parts::largest_depth) {
    for (std::int64_t i = 0; i < count; ++i) parts::add_product(shape, a[i] + a_offset, b[i] + b_offset, c, scratch);
    return;
  }
  const std::int64_t most = parts::smaller(count, parts::largest_depth / shape.k);  // the products that share packed panels
  T* const packed_right = parts::align(scratch);
  T* const packed_left = packed_right + most * shape.k * parts::columns;
  for (std::int64_t row = 0; row < shape.m; row += parts::largest_height) {
    const std::int64_t height = parts::smaller(parts::largest_height, shape.m - row);
    const std::int64_t next_left = parts::round_up(height, parts::rows) * shape.k;
    for (std::int64_t first = 0; first < count; first += most) {
      const std::int64_t group = parts::smaller(most, count - first);
      for (std::int64_t i = 0; i < group; ++i)
        parts::pack_left(a[first + i] + a_offset + row, shape.lda, shape.k, height, packed_left + i * next_left);
      for (std::int64_t column = 0; column < shape.n; column += parts::columns) {
        const std::int64_t used = parts::smaller(parts::columns, shape.n - column), next_right = shape.k * parts::columns;
        for (std::int64_t i = 0; i < group; ++i)
          parts::pack_right(b[first + i] + b_offset + column, shape.ldb, shape.k, used, packed_right + i * next_right);
        parts::template sum_tiles<parts::rows>(packed_left, packed_right, shape.k, group, next_left, next_right,
                                               {c + row * shape.ldc + column, shape.ldc, used, true}, height);
      }
    }
  }
}

template <> template <class T> std::int64_t kernels<own>::packed_size(const product_shape& shape) {
  using parts = product_parts<own, T>;
  return parts::round_up(shape.n, parts::columns) / parts::columns * parts::panel_size(shape.k);
}

template <> template <class T> void kernels<own>::pack(const product_shape& shape, const T* b, T* packed) {
  using parts = product_parts<own, T>;
  const std::int64_t size = parts::panel_size(shape.k);
  for (std::int64_t column = 0; column < shape.n; column += parts::columns, packed += size)
    parts::pack_panel(shape, b + (shape.transpose_b ? column * shape.ldb : column),
                      parts::smaller(parts::columns, shape.n - column), packed);
}

}  // namespace flowgraph::kernel
