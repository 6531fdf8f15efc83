#pragma once
// Reductions over contiguous memory, in an order that depends only on the number of elements, and softmax of rows.

#include <flowgraph/ops/kernel/math.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel {

namespace FLOWGRAPH_LEVEL {

inline constexpr int reduced_ways = 8;

// Combines the packets as a tree, then the lanes.
template <class Join, class T> FLOWGRAPH_ALWAYS_INLINE T joined_ways(packet<T> (&parts)[unsigned{reduced_ways}]) {
  FLOWGRAPH_UNROLL
  for (int half = reduced_ways / 2; half > 0; half /= 2) {
    FLOWGRAPH_UNROLL
    for (int way = 0; way < half; ++way) parts[way] = Join::join(parts[way], parts[way + half]);
  }
  return horizontal<Join>(parts[0]);
}

// Reduces with eight independent packets, so that additions do not wait for each other.
template <class Join, class T> FLOWGRAPH_ALWAYS_INLINE T reduce_block(const T* x, std::int64_t n) {
  using P = packet<T>;
  constexpr int ways = reduced_ways;
  P parts[ways];
  FLOWGRAPH_UNROLL
  for (int way = 0; way < ways; ++way) parts[way] = Join::start();
  std::int64_t i = 0;
  for (; i + ways * P::width <= n; i += ways * P::width) {
    FLOWGRAPH_UNROLL
    for (int way = 0; way < ways; ++way) parts[way] = Join::join(parts[way], P::load(x + i + way * P::width));
  }
  FLOWGRAPH_UNROLL
  for (int way = 0; way < ways; ++way) {
    if (i + P::width <= n) {
      parts[way] = Join::join(parts[way], P::load(x + i));
      i += P::width;
    } else if (i < n) {
      parts[way] = Join::join(parts[way], P::load(x + i, n - i, Join::start().value[0]));
      i = n;
    }
  }
  return joined_ways<Join>(parts);
}

// The elements of a block of a sum.
inline constexpr std::int64_t summed_at_once = 2048;

}  // namespace FLOWGRAPH_LEVEL

// Blocks are summed in pairs, and pairs in pairs, so that the error grows with the logarithm of n. `partial` contains one sum for
// each bit that is set in the number of finished blocks, the highest bit first.
template <> template <class T> T kernels<own>::sum(const T* x, std::int64_t n) {
  constexpr std::int64_t block = FLOWGRAPH_LEVEL::summed_at_once;
  T partial[64];
  int held = 0;
  std::int64_t done = 0;
  for (; n > block; n -= block, x += block) {
    T total = FLOWGRAPH_LEVEL::reduce_block<FLOWGRAPH_LEVEL::join_sum<T>>(x, block);
    for (std::int64_t carry = done++; carry & 1; carry >>= 1) total = partial[--held] + total;
    partial[held++] = total;
  }
  T total = FLOWGRAPH_LEVEL::reduce_block<FLOWGRAPH_LEVEL::join_sum<T>>(x, n);
  while (held > 0) total = partial[--held] + total;
  return total;
}

template <> template <class T> void kernels<own>::add_sums(T* totals, const T* x, std::int64_t rows, std::int64_t n) {
  if (n <= FLOWGRAPH_LEVEL::summed_at_once) {
    for (std::int64_t row = 0; row < rows; ++row, x += n)
      totals[row] = totals[row] + FLOWGRAPH_LEVEL::reduce_block<FLOWGRAPH_LEVEL::join_sum<T>>(x, n);
  } else {
    for (std::int64_t row = 0; row < rows; ++row, x += n) totals[row] = totals[row] + sum(x, n);
  }
}

template <> template <class T> T kernels<own>::max(const T* x, std::int64_t n) {
  return FLOWGRAPH_LEVEL::reduce_block<FLOWGRAPH_LEVEL::join_max<T>>(x, n);
}

template <> template <class T> T kernels<own>::min(const T* x, std::int64_t n) {
  return FLOWGRAPH_LEVEL::reduce_block<FLOWGRAPH_LEVEL::join_min<T>>(x, n);
}

namespace FLOWGRAPH_LEVEL {

// Adds `Count` rows: the elements of `total` stay in registers from row to row.
template <int Count, class T>
FLOWGRAPH_ALWAYS_INLINE void add_some_rows(T* total, const T* x, std::int64_t step, std::int64_t n) {
  using P = packet<T>;
  std::int64_t i = 0;
  for (; i + P::width <= n; i += P::width) {
    P sum = P::load(total + i);
    FLOWGRAPH_UNROLL
    for (int row = 0; row < Count; ++row) sum = sum + P::load(x + i + row * step);
    sum.store(total + i);
  }
  if (i == n) return;
  P sum = P::load(total + i, n - i, 0);
  FLOWGRAPH_UNROLL
  for (int row = 0; row < Count; ++row) sum = sum + P::load(x + i + row * step, n - i, 0);
  sum.store(total + i, n - i);
}

}  // namespace FLOWGRAPH_LEVEL

template <>
template <class T>
void kernels<own>::add_rows(T* total, const T* x, std::int64_t rows, std::int64_t step, std::int64_t n) {
  constexpr int together = 8;
  for (; rows >= together; rows -= together, x += together * step) FLOWGRAPH_LEVEL::add_some_rows<together>(total, x, step, n);
  for (; rows > 0; --rows, x += step) FLOWGRAPH_LEVEL::add_some_rows<1>(total, x, step, n);
}

template <> template <class T> void kernels<own>::scale(T* y, T factor, std::int64_t n) {
  using P = FLOWGRAPH_LEVEL::packet<T>;
  std::int64_t i = 0;
  for (; i + P::width <= n; i += P::width) (P::load(y + i) * factor).store(y + i);
  if (i < n) (P::load(y + i, n - i, 0) * factor).store(y + i, n - i);
}

namespace FLOWGRAPH_LEVEL {

// Returns the sum of exp(x - max). If `Store` is set, writes the terms to `y`.
template <bool Store, class T> FLOWGRAPH_ALWAYS_INLINE T exp_minus(const T* x, T max, T* y, std::int64_t n) {
  using P = packet<T>;
  P even = T(0), odd = T(0);
  std::int64_t i = 0;
  for (; i + 2 * P::width <= n; i += 2 * P::width) {
    const P first = exp(P::load(x + i) - max), second = exp(P::load(x + i + P::width) - max);
    if constexpr (Store) {
      first.store(y + i);
      second.store(y + i + P::width);
    }
    even = even + first;
    odd = odd + second;
  }
  for (; i < n; i += P::width) {
    const bool whole = i + P::width <= n;
    const P e = exp((whole ? P::load(x + i) : P::load(x + i, n - i, -T(__builtin_inf()))) - max);
    if constexpr (Store) {
      if (whole) e.store(y + i);
      else e.store(y + i, n - i);
    }
    if (whole) even = even + e;
    else odd = odd + e;
  }
  return horizontal<join_sum<T>>(even + odd);
}

}  // namespace FLOWGRAPH_LEVEL

template <> template <class T> T kernels<own>::exp_minus(const T* x, T max, T* y, std::int64_t n) {
  return FLOWGRAPH_LEVEL::exp_minus<true>(x, max, y, n);
}

template <> template <class T> void kernels<own>::softmax(const T* x, T* y, std::int64_t rows, std::int64_t n) {
  for (std::int64_t row = 0; row < rows; ++row, x += n, y += n) {
    const T max = FLOWGRAPH_LEVEL::reduce_block<FLOWGRAPH_LEVEL::join_max<T>>(x, n);
    const T total = FLOWGRAPH_LEVEL::exp_minus<true>(x, max, y, n);
    scale<T>(y, 1 / total, n);
  }
}

template <> template <class T> void kernels<own>::log_softmax(const T* x, T* y, std::int64_t rows, std::int64_t n) {
  using P = FLOWGRAPH_LEVEL::packet<T>;
  for (std::int64_t row = 0; row < rows; ++row, x += n, y += n) {
    const P max = FLOWGRAPH_LEVEL::reduce_block<FLOWGRAPH_LEVEL::join_max<T>>(x, n);
    const P log_total = log(P(FLOWGRAPH_LEVEL::exp_minus<false>(x, max.value[0], y, n)));
    std::int64_t i = 0;
    for (; i + P::width <= n; i += P::width) (P::load(x + i) - max - log_total).store(y + i);
    if (i < n) (P::load(x + i, n - i, 0) - max - log_total).store(y + i, n - i);
  }
}

}  // namespace flowgraph::kernel

#include <flowgraph/show_names.hpp>
