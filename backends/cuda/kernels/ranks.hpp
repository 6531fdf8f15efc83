#pragma once
// Sorts rows in descending order. Equal elements are in the order of their indices; NaN is last, as on the CPU.

#include <cuda/kernels/arguments.hpp>
#include <cuda/kernels/elements.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

// Returns the rank of an element. Larger elements have larger ranks.
template <class T> FLOWGRAPH_FUNCTION std::uint64_t rank_of(T x) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  if constexpr (is_half<T>) {
    return rank_of(static_cast<float>(x));
  } else if constexpr (std::is_floating_point_v<T>) {
    if (x != x) return 0;
    const double wide = static_cast<double>(x) + 0.;  // -0 becomes 0
    const auto bits = __builtin_bit_cast(std::uint64_t, wide);
    return bits & sign ? ~bits : bits | sign;
  } else {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(x)) ^ sign;
  }
}

// Returns whether element a of a row comes before element b. Indices from `columns` on have no element, and come last.
template <class T> FLOWGRAPH_FUNCTION bool is_before(const T* row, std::int64_t columns, std::int32_t a, std::int32_t b) {
  if (a >= columns || b >= columns) return a < b;
  const std::uint64_t of_a = rank_of(row[a]), of_b = rank_of(row[b]);
  return of_a != of_b ? of_a > of_b : a < b;
}

// A block sorts one row by a bitonic network, whose exchanges depend only on the size.
template <class T, class I> struct ordered_rows {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const rank_arguments& r) const {
    const T* const x = static_cast<const T*>(r.x) + b.index() * r.columns;
    std::int32_t* const order = static_cast<std::int32_t*>(r.order) + b.index() * r.room;
    b.each(r.room, [=](std::int64_t i) { order[i] = static_cast<std::int32_t>(i); });
    const std::int64_t columns = r.columns;
    for (std::int64_t length = 2; length <= r.room; length *= 2)
      for (std::int64_t distance = length / 2; distance > 0; distance /= 2)
        b.each(r.room / 2, [=](std::int64_t i) {
          const std::int64_t low = i / distance * 2 * distance + i % distance, high = low + distance;
          const bool falls = (low & length) == 0;
          const std::int32_t of_low = order[low], of_high = order[high];
          if (is_before(x, columns, of_low, of_high) == falls) return;
          order[low] = of_high;
          order[high] = of_low;
        });
    T* const y = static_cast<T*>(r.y) + b.index() * r.kept;
    I* const numbers = static_cast<I*>(r.numbers);
    const std::int64_t first = r.first, at = b.index() * r.kept;
    b.each(r.kept, [=](std::int64_t i) {
      y[i] = x[order[first + i]];
      if (numbers) numbers[at + i] = static_cast<I>(order[first + i]);
    });
  }
};

// A thread checks one row. The result is false if the target is not a column, or if an element that is not
// finite is read before the answer is known.
template <class I> struct in_top {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const top_arguments& t) const {
    const std::int64_t first = b.index() * elements_per_block;
    b.each(part_of(t.rows, first), [&](std::int64_t i) {
      const float* const x = static_cast<const float*>(t.x) + (first + i) * t.columns;
      const auto target = static_cast<std::int64_t>(static_cast<const I*>(t.targets)[first + i]);
      bool known = target >= 0 && target < t.columns && x[target] - x[target] == 0;
      std::int64_t larger = 0;
      for (std::int64_t k = 0; known && larger < t.kept && k < t.columns; ++k) {
        known = x[k] - x[k] == 0;
        larger += x[k] > x[target] ? 1 : 0;
      }
      static_cast<bool*>(t.y)[first + i] = known && larger < t.kept;
    });
  }
};

}
}
}  // namespace flowgraph::cuda
