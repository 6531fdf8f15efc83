#pragma once
// The dense product of kernels: for any element type, divided into blocks for the run's threads by its size alone.

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/op/result_finish.hpp>
#include <flowgraph/ops/shared/detail/wide.hpp>
#include <flowgraph/ops/kernel/dispatch.hpp>

#include <algorithm>
#include <bit>
#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

template <class T> inline constexpr bool has_level_product = std::is_same_v<T, float> || std::is_same_v<T, double>;

constexpr std::size_t round_up_bytes(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

// Returns whether all elements are finite. The kernels of the maximum and the minimum would add 11 KB to a program.
template <class T> bool all_finite(const T* x, std::int64_t n) {
  using bits = std::conditional_t<sizeof(T) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;
  constexpr bits exponent = std::bit_cast<bits>(std::numeric_limits<T>::infinity());
  bits found = 0;
  for (std::int64_t i = 0; i < n; ++i) found |= static_cast<bits>((std::bit_cast<bits>(x[i]) & exponent) == exponent);
  return found == 0;
}

// Returns the bytes that one call of `product` needs, for all element types.
inline std::size_t product_scratch(const kernel::product_shape& p) {
  static const auto of_float = kernel::dispatch([]<class L>(L) { return &L::template product_scratch<float>; });
  static const auto of_double = kernel::dispatch([]<class L>(L) { return &L::template product_scratch<double>; });
  return round_up_bytes(
      std::max(static_cast<std::size_t>(of_float(p)) * sizeof(float), static_cast<std::size_t>(of_double(p)) * sizeof(double)));
}

template <class T> T conjugate_if(const T& x, [[maybe_unused]] bool conjugate) {
  if constexpr (in_list<T, complex_numbers>) return conjugate ? std::conj(x) : x;
  else return x;
}

// Computes the product for types without a level kernel: a few columns of a row at a time, summed in order of k. C is T, or the
// type of sums of T.
template <class T, class C>
void plain_product(const kernel::product_shape& p, const T* a, const T* b, C* c, bool conjugate_a = false,
                   bool conjugate_b = false) {
  constexpr std::int64_t width = 32;
  const std::int64_t a_row = p.transpose_a ? 1 : p.lda, a_step = p.transpose_a ? p.lda : 1;
  const std::int64_t b_column = p.transpose_b ? p.ldb : 1, b_step = p.transpose_b ? 1 : p.ldb;
  for (std::int64_t row = 0; row < p.m; ++row) {
    for (std::int64_t column = 0; column < p.n; column += width) {
      const std::int64_t used = std::min(width, p.n - column);
      C* to = c + row * p.ldc + column;
      wide<T> sum[width]{};
      for (std::int64_t j = 0; j < used && p.accumulate; ++j) sum[j] = static_cast<wide<T>>(to[j]);
      for (std::int64_t k = 0; k < p.k; ++k) {
        const wide<T> left = widened(conjugate_if(a[row * a_row + k * a_step], conjugate_a));
        const T* right = b + k * b_step + column * b_column;
        for (std::int64_t j = 0; j < used; ++j) sum[j] = sum[j] + left * widened(conjugate_if(right[j * b_column], conjugate_b));
      }
      for (std::int64_t j = 0; j < used; ++j) to[j] = static_cast<C>(sum[j]);
    }
  }
}

// How the run finishes the result of a kernel, which has the fact `finishes`.
template <class T> const result_finish* finish_of(cpu ctx) {
  if constexpr (std::is_same_v<T, float>) return ctx.call().run->finish;
  else return nullptr;
}

// Computes the product on the calling thread.
template <class T, class C>
void product(const kernel::product_shape& p, const T* a, const T* b, C* c, [[maybe_unused]] void* scratch) {
  if constexpr (has_level_product<T>) {
    kernel::dispatch([]<class L>(L) { return &L::template product<T>; })(p, a, b, c, static_cast<T*>(scratch));
  } else {
    plain_product(p, a, b, c);
  }
}

// The grid of blocks of c: some blocks for each thread, and each with enough work for a thread. The bits of a product do not depend
// on its blocks.
struct product_grid {
  static constexpr std::int64_t most_blocks = 32, blocks_per_thread = 4, work_per_block = 1 << 20;
  std::int64_t rows = 1, columns = 1;  // blocks along each side

  // Makes at most `most` blocks.
  explicit product_grid(const kernel::product_shape& p, std::int64_t most = most_blocks)
      : row_units_((p.m + row_unit - 1) / row_unit), column_units_((p.n + column_unit - 1) / column_unit) {
    const std::int64_t wanted = std::min(most, blocks_with_work(p.m, p.n, p.k));
    if (wanted > 1) cut(p, wanted);
  }
  // Returns the number of blocks for this number of threads: a power of 2. Fewer and larger blocks read less, so one thread has one.
  static constexpr std::int64_t blocks_for(std::int64_t threads) {
    std::int64_t blocks = 1;
    while (threads > 1 && blocks < most_blocks && blocks < threads * blocks_per_thread) blocks *= 2;
    return blocks;
  }
  // Returns how many blocks of a product m x k by k x n have enough work for a thread. An element of b that is read for one row of
  // c costs as much as about 8 multiplications.
  static constexpr std::int64_t blocks_with_work(std::int64_t m, std::int64_t n, std::int64_t k) {
    const std::int64_t columns_of_work = (m + 8) * n;
    return columns_of_work / work_per_block * k + columns_of_work % work_per_block * k / work_per_block;
  }
  std::int64_t blocks() const { return rows * columns; }
  // Returns block i, and sets its first row and column.
  kernel::product_shape block(const kernel::product_shape& p, std::int64_t i, std::int64_t& row, std::int64_t& column) const {
    const std::int64_t r = i / columns, c = i % columns;
    row = first(row_units_, r, rows) * row_unit;
    column = first(column_units_, c, columns) * column_unit;
    kernel::product_shape part = p;
    part.m = std::min(first(row_units_, r + 1, rows) * row_unit, p.m) - row;
    part.n = std::min(first(column_units_, c + 1, columns) * column_unit, p.n) - column;
    return part;
  }
  // Returns a shape that is at least as large as that of each block.
  kernel::product_shape largest_block(const kernel::product_shape& p) const {
    kernel::product_shape part = p;
    part.m = std::min((row_units_ + rows - 1) / rows * row_unit, p.m);
    part.n = std::min((column_units_ + columns - 1) / columns * column_unit, p.n);
    return part;
  }

private:
  // Blocks end at multiples of these units: whole tiles of c at every level, and whole vectors.
  static constexpr std::int64_t row_unit = 24, column_unit = 64;

  static std::int64_t first(std::int64_t units, std::int64_t i, std::int64_t blocks) { return units * i / blocks; }
  // Finds the cut with the fewest reads for all blocks together.
  void cut(const kernel::product_shape& p, std::int64_t wanted) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t r = 1; r <= std::min(wanted, row_units_); ++r) {
      const std::int64_t c = std::min(wanted / r, column_units_);
      const std::int64_t idle = wanted - r * c;
      const std::int64_t reads = c * p.m + r * p.n + idle * (p.m + p.n);
      if (reads >= least) continue;
      least = reads;
      rows = r;
      columns = c;
    }
  }

  std::int64_t row_units_, column_units_;
};

// Returns the shape of the product of two matrices without gaps between rows.
inline kernel::product_shape dense_product(std::int64_t m, std::int64_t n, std::int64_t k, bool transpose_a, bool transpose_b) {
  return {m, n, k, transpose_a ? m : k, transpose_b ? k : n, n, transpose_a, transpose_b, false};
}

// Returns the shape of the product of the matrices in the last two axes of x and y.
inline kernel::product_shape last_matrices(const shape& x, const shape& y, bool adj_x, bool adj_y) {
  return dense_product(x[adj_x ? -1 : -2], y[adj_y ? -2 : -1], x[adj_x ? -2 : -1], adj_x, adj_y);
}

// Returns the scratch of the product on any number of threads.
FLOWGRAPH_COLD inline std::size_t parallel_product_scratch(const kernel::product_shape& p) {
  std::size_t most = 0;
  for (std::int64_t blocks = 1; blocks <= product_grid::most_blocks; blocks *= 2) {
    const product_grid grid(p, blocks);
    most = std::max(most, static_cast<std::size_t>(grid.blocks()) * product_scratch(grid.largest_block(p)));
  }
  return most;
}

// Returns the position in b of a column, which is a multiple of 32 if b is packed.
template <class T> std::int64_t position_of_column(const kernel::product_shape& p, std::int64_t column) {
  if constexpr (has_level_product<T>) {
    kernel::product_shape before = p;
    before.n = column;
    if (p.is_b_packed) return kernel::dispatch([]<class L>(L) { return &L::template packed_size<T>; })(before);
  }
  return p.transpose_b ? column * p.ldb : column;
}

// Computes the product on the run's threads. `scratch` has parallel_product_scratch bytes.
template <class T, class C>
void parallel_product(cpu ctx, const kernel::product_shape& p, const T* a, const T* b, C* c, std::byte* scratch) {
  const thread_pool* const pool = ctx.call().run->pool;
  const product_grid grid(p, product_grid::blocks_for(pool ? pool->size() : 1));
  if (grid.blocks() == 1) return product(p, a, b, c, scratch);
  const std::size_t share = product_scratch(grid.largest_block(p));
  ctx.parallel_for(grid.blocks(), [&](std::int64_t i) {
    std::int64_t top = 0, left = 0;
    const kernel::product_shape part = grid.block(p, i, top, left);
    product(part, a + (p.transpose_a ? top : top * p.lda), b + position_of_column<T>(p, left), c + top * p.ldc + left,
            scratch + static_cast<std::size_t>(i) * share);
  });
}

// The blocks of a sum of products. The bits do not depend on them. The kernel packs the factors again for each block, and in any case
// for each 192 or 384 rows of the sum. So there are fewer and larger blocks than in a product_grid.
struct product_sum_grid {
  static constexpr std::int64_t most_blocks = 32, most_bands = 8, row_unit = 192, column_unit = 64, least_width = 256;
  std::int64_t rows, columns, height, width;

  explicit product_sum_grid(const kernel::product_shape& p) {
    rows = std::clamp<std::int64_t>((p.m + row_unit - 1) / row_unit, 1, most_bands);
    columns = std::clamp<std::int64_t>(p.n / least_width, 1, most_blocks / rows);
    height = rounded_up((p.m + rows - 1) / rows, row_unit);
    width = rounded_up((p.n + columns - 1) / columns, column_unit);
  }
  std::int64_t blocks() const { return rows * columns; }
  // Returns the bytes of scratch of a block. A product of any depth needs no more than one of this depth.
  static std::size_t share(const kernel::product_shape& p) {
    kernel::product_shape deep = p;
    deep.k = 1024;
    return product_scratch(deep);
  }

private:
  static std::int64_t rounded_up(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }
};

// Adds a[i] * b[i] to c for each i, in order, on the run's threads: with the bits of a product that accumulates for each i. All a[i]
// are transposed. `scratch` has product_sum_scratch(p) bytes.
template <class T>
void parallel_product_sum(cpu ctx, const kernel::product_shape& p, std::int64_t count, const T* const* a, const T* const* b, T* c,
                          std::byte* scratch) {
  const auto add = kernel::dispatch([]<class L>(L) { return &L::template product_sum<T>; });
  const product_sum_grid grid(p);
  if (!ctx.call().run->pool) return add(p, count, a, b, 0, 0, c, reinterpret_cast<T*>(scratch));
  const std::size_t share = product_sum_grid::share(p);
  ctx.parallel_for(grid.blocks(), [&](std::int64_t i) {
    const std::int64_t top = i / grid.columns * grid.height, left = i % grid.columns * grid.width;
    kernel::product_shape part = p;
    part.m = std::min(grid.height, p.m - top);
    part.n = std::min(grid.width, p.n - left);
    if (part.m <= 0 || part.n <= 0) return;
    add(part, count, a, b, top, left, c + top * p.ldc + left,
        reinterpret_cast<T*>(scratch + static_cast<std::size_t>(i) * share));
  });
}
// Returns the bytes of scratch of parallel_product_sum.
FLOWGRAPH_COLD inline std::size_t product_sum_scratch(const kernel::product_shape& p) {
  return static_cast<std::size_t>(product_sum_grid(p).blocks()) * product_sum_grid::share(p);
}

// Returns the number of products of a stack that make one block.
inline std::int64_t products_per_block(const kernel::product_shape& p, std::int64_t products) {
  const std::int64_t work = std::max<std::int64_t>(1, p.m * p.n * p.k);
  const std::int64_t least = (products + product_grid::most_blocks - 1) / product_grid::most_blocks;
  return std::max<std::int64_t>({1, least, product_grid::work_per_block / work});
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
