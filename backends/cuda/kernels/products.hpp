#pragma once
// Products of matrices.

#include <cuda/kernels/arguments.hpp>
#include <cuda/kernels/elements.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

inline constexpr std::int64_t tile = 16;  // tile * tile threads make as many elements
static_assert(tile * tile == threads_per_block);

FLOWGRAPH_FUNCTION inline std::int64_t tiles_of(std::int64_t n) { return (n + tile - 1) / tile; }

// A block makes one tile of the result. It adds up the products in the order of the inner axis.
template <class T> struct tiled_product {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const product_arguments& p) const {
    using P = computed<T>;
    using F = functor::mul;
    const std::int64_t across = tiles_of(p.columns), down = tiles_of(p.rows);
    const std::int64_t matrix = b.index() / (across * down);
    const std::int64_t top = b.index() / across % down * tile, left = b.index() % across * tile;
    const T* const a = static_cast<const T*>(p.a) + place_of(matrix, p.rank, p.extents, p.a_steps);
    const T* const x = static_cast<const T*>(p.b) + place_of(matrix, p.rank, p.extents, p.b_steps);
    P* const of_a = b.template shared<P, 0>();
    P* const of_x = b.template shared<P, 1>();
    auto sum = b.own(P(0));
    for (std::int64_t first = 0; first < p.inner; first += tile) {
      b.each(threads_per_block, [&](std::int64_t t) {
        const std::int64_t row = t / tile, column = t % tile;
        const bool in_a = top + row < p.rows && first + column < p.inner,
                   in_x = first + row < p.inner && left + column < p.columns;
        of_a[t] = in_a ? static_cast<P>(a[(top + row) * p.a_row + (first + column) * p.a_column]) : P(0);
        of_x[t] = in_x ? static_cast<P>(x[(first + row) * p.b_row + (left + column) * p.b_column]) : P(0);
      });
      const std::int64_t count = p.inner - first < tile ? p.inner - first : tile;
      b.each(threads_per_block, [&](std::int64_t t) {
        const P* const row = of_a + t / tile * tile;
        const P* const column = of_x + t % tile;
        P total = sum[t];
        for (std::int64_t k = 0; k < count; ++k) {
          const P product = plain<P>(F::packet(get<F>(row[k]), get<F>(column[k * tile])));
          total = plain<P>(functor::add::packet(get<functor::add>(total), get<functor::add>(product)));
        }
        sum[t] = total;
      });
    }
    T* const y = static_cast<T*>(p.y) + matrix * p.rows * p.columns;
    b.each(threads_per_block, [&](std::int64_t t) {
      const std::int64_t row = top + t / tile, column = left + t % tile;
      if (row < p.rows && column < p.columns) y[row * p.columns + column] = T(sum[t]);
    });
  }
};

}
}
}  // namespace flowgraph::cuda
