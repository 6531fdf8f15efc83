#pragma once
// Moves of elements: copies with steps, filling, and rows by index.

#include <cuda/kernels/arguments.hpp>
#include <cuda/kernels/elements.hpp>

#include <flowgraph/cuda/pack.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

template <int Bytes> struct strided_copy {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const move_arguments& m) const {
    using T = typename moved<Bytes>::type;
    const std::int64_t first = b.index() * elements_per_block;
    const T* const x = static_cast<const T*>(m.x);
    T* const y = static_cast<T*>(m.y);
    b.each(part_of(m.size, first), [&](std::int64_t i) {
      y[place_of(first + i, m.rank, m.extents, m.to_steps)] = x[place_of(first + i, m.rank, m.extents, m.from_steps)];
    });
  }
};

template <int Bytes> struct fill {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const fill_arguments& m) const {
    using T = typename moved<Bytes>::type;
    const std::int64_t first = b.index() * elements_per_block;
    const T* const x = m.x ? static_cast<const T*>(m.x) : reinterpret_cast<const T*>(m.value);
    T* const y = static_cast<T*>(m.y) + first;
    b.each(part_of(m.size, first), [&](std::int64_t i) { y[i] = *x; });
  }
};

template <int Bytes, class I> struct one_hot_map {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const one_hot_arguments& h) const {
    using T = typename moved<Bytes>::type;
    const std::int64_t first = b.index() * elements_per_block;
    b.each(part_of(h.size, first), [&](std::int64_t i) {
      const std::int64_t at = first + i, named = at / h.inner / h.depth * h.inner + at % h.inner;
      const bool is_on = static_cast<std::int64_t>(static_cast<const I*>(h.index)[named]) == at / h.inner % h.depth;
      static_cast<T*>(h.y)[at] = *static_cast<const T*>(is_on ? h.on : h.off);
    });
  }
};

template <int Bytes> struct band_map {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const band_arguments& m) const {
    using T = typename moved<Bytes>::type;
    const std::int64_t first = b.index() * elements_per_block;
    b.each(part_of(m.size, first), [&](std::int64_t i) {
      const std::int64_t above = (first + i) % m.columns - (first + i) / m.columns % m.rows;
      const bool is_kept = (m.lower < 0 || -above <= m.lower) && (m.upper < 0 || above <= m.upper);
      static_cast<T*>(m.y)[first + i] = is_kept ? static_cast<const T*>(m.x)[first + i] : T{};
    });
  }
};

// Returns the position of the slice that index vector i names, or -1 if there is no such slice.
template <class I> FLOWGRAPH_FUNCTION std::int64_t slice_of(const vector_arguments& v, std::int64_t i) {
  std::int64_t at = 0;
  for (int k = 0; k < v.depth; ++k) {
    const std::int64_t n = static_cast<const I*>(v.index)[i * v.depth + k];
    if (n < 0 || n >= v.extents[k]) return -1;
    at += n * v.steps[k];
  }
  return at;
}

template <int Bytes, class I> struct gather_slices {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const vector_arguments& v) const {
    using T = typename moved<Bytes>::type;
    const std::int64_t first = b.index() * elements_per_block;
    b.each(part_of(v.count * v.inner, first), [&](std::int64_t i) {
      const std::int64_t at = first + i, slice = slice_of<I>(v, at / v.inner);
      static_cast<T*>(v.y)[at] = slice < 0 ? T{} : static_cast<const T*>(v.x)[slice + at % v.inner];
      if (slice < 0 && !v.ignores) b.report(v.fault, v.call, at / v.inner);
    });
  }
};

// Copies rows of packs of 16 bytes. Each block copies parts of 256 / lanes rows. A thread reads four packs before it writes them,
// so that more reads are under way.
template <class I> struct gather_packs {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const gather_arguments& g) const {
    using T = pack<std::uint32_t, 4>;
    const std::int64_t rows_of_block = threads_per_block / g.lanes, all = g.batches * g.outer * g.count;
    const std::int64_t first_row = b.index() / g.segments * rows_of_block, length = packs_of_gather * g.lanes;
    const std::int64_t begin = b.index() % g.segments * length, end = begin + length < g.inner ? begin + length : g.inner;
    b.each(threads_per_block, [&](std::int64_t thread) {
      const std::int64_t at = first_row + thread / g.lanes, step = g.lanes;
      if (at >= all) return;
      const std::int64_t block = g.batches * g.outer == 1 ? 0 : at / g.count;
      const std::int64_t named = block / g.outer * g.count + (at - block * g.count), row = static_cast<const I*>(g.index)[named];
      const bool is_row = row >= 0 && row < g.rows;
      const T* const from = static_cast<const T*>(g.x) + (block * g.rows + (is_row ? row : 0)) * g.inner;
      T* const to = static_cast<T*>(g.y) + at * g.inner;
      if (!is_row) b.report(g.fault, g.call, named);
      std::int64_t k = begin + thread % g.lanes;
      for (; is_row && k + 3 * step < end; k += 4 * step) {
        const T parts[4] = {from[k], from[k + step], from[k + 2 * step], from[k + 3 * step]};
        for (int i = 0; i < 4; ++i) to[k + i * step] = parts[i];
      }
      for (; k < end; k += step) to[k] = is_row ? from[k] : T{};
    });
  }
};

// Exchanges the last two axes, as tiles in memory that the threads share. In x, the axis before the last one has step 1; in y, the
// last one. A thread reads its elements of the tile before it stores them. The columns of a tile are permuted by row, so that
// threads which read a column do not wait for each other.
template <int Bytes> struct transpose_tiles {
  static constexpr std::int64_t side = Bytes <= 4 ? 32 : 16, of_thread = side * side / threads_per_block;
  static_assert(side * side * Bytes <= shared_bytes);

  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const move_arguments& m) const {
    using T = typename moved<Bytes>::type;
    T* const tile = b.template shared<T>();
    const int u = m.rank - 2, v = m.rank - 1;
    const std::int64_t us = (m.extents[u] + side - 1) / side, vs = (m.extents[v] + side - 1) / side;
    const std::int64_t block = b.index() / (us * vs), first_u = b.index() / vs % us * side, first_v = b.index() % vs * side;
    const std::int64_t u_end = m.extents[u] - first_u, v_end = m.extents[v] - first_v;
    const T* const x =
        static_cast<const T*>(m.x) + place_of(block, u, m.extents, m.from_steps) + first_u + first_v * m.from_steps[v];
    T* const y = static_cast<T*>(m.y) + place_of(block, u, m.extents, m.to_steps) + first_u * m.to_steps[u] + first_v;
    const std::int64_t from_step = m.from_steps[v], to_step = m.to_steps[u];
    constexpr std::int64_t rows_at_once = threads_per_block / side;
    b.each(threads_per_block, [=](std::int64_t thread) {
      const std::int64_t column = thread % side, row = thread / side;
      T kept[of_thread] = {};
      for (int i = 0; i < of_thread; ++i) {
        const std::int64_t r = row + i * rows_at_once;
        if (column < u_end && r < v_end) kept[i] = x[column + r * from_step];
      }
      for (int i = 0; i < of_thread; ++i) {
        const std::int64_t r = row + i * rows_at_once;
        tile[r * side + (column ^ r)] = kept[i];
      }
    });
    b.each(threads_per_block, [=](std::int64_t thread) {
      const std::int64_t column = thread % side, row = thread / side;
      for (int i = 0; i < of_thread; ++i) {
        const std::int64_t r = row + i * rows_at_once;
        if (column < v_end && r < u_end) y[r * to_step + column] = tile[column * side + (r ^ column)];
      }
    });
  }
};

template <int Bytes, class I> struct gather_rows {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const gather_arguments& g) const {
    using T = typename moved<Bytes>::type;
    const std::int64_t first = b.index() * elements_per_block;
    const std::int64_t size = g.batches * g.outer * g.count * g.inner;
    if (g.outer * g.inner == 0) {
      b.each(part_of(g.batches * g.count, first), [&](std::int64_t i) {
        const std::int64_t row = static_cast<const I*>(g.index)[first + i];
        if (row < 0 || row >= g.rows) b.report(g.fault, g.call, first + i);
      });
      return;
    }
    b.each(part_of(size, first), [&](std::int64_t i) {
      const std::int64_t at = first + i, k = at % g.inner, position = at / g.inner % g.count, block = at / g.inner / g.count;
      const std::int64_t named = block / g.outer * g.count + position;
      const std::int64_t row = static_cast<const I*>(g.index)[named];
      T* const to = static_cast<T*>(g.y) + at;
      if (row < 0 || row >= g.rows) {
        *to = T{};
        b.report(g.fault, g.call, named);
      } else {
        *to = static_cast<const T*>(g.x)[(block * g.rows + row) * g.inner + k];
      }
    });
  }
};

}
}
}  // namespace flowgraph::cuda
