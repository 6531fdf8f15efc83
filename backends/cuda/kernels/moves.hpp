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
