#pragma once
// Moves of elements: copies with steps, filling, and rows by index.

#include <cuda/kernels/arguments.hpp>
#include <cuda/kernels/elements.hpp>

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

template <int Bytes, class I> struct gather_rows {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const gather_arguments& g) const {
    using T = typename moved<Bytes>::type;
    const std::int64_t first = b.index() * elements_per_block;
    const std::int64_t size = g.batches * g.outer * g.count * g.inner;
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
