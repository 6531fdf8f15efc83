#pragma once
// Moves of elements: copies with steps, filling, rows by index, and sums of rows by index.

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

// A thread adds up one column, so the order of the rows is the order of the indices.
template <class T, class I> struct scatter_sum {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const scatter_arguments& s) const {
    using F = functor::add;
    const std::int64_t first = b.index() * threads_per_block, left = s.inner - first;
    b.each(left < threads_per_block ? left : std::int64_t{threads_per_block}, [&](std::int64_t thread) {
      const std::int64_t k = first + thread;
      T* const y = static_cast<T*>(s.y) + k;
      for (std::int64_t i = 0; i < s.count; ++i) {
        const std::int64_t row = static_cast<const I*>(s.index)[i];
        if (row >= s.rows) b.report(s.fault, s.call, i);
        if (row < 0 || row >= s.rows) continue;
        y[row * s.inner] = plain<T>(F::packet(get<F>(y[row * s.inner]), get<F>(static_cast<const T*>(s.x)[i * s.inner + k])));
      }
    });
  }
};

}
}
}  // namespace flowgraph::cuda
