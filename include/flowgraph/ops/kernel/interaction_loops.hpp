#pragma once
// The bodies of interactions.hpp. They sum several packets of columns at a time, because each addition waits for the previous
// addition.

#include <flowgraph/ops/kernel/interactions.hpp>
#include <flowgraph/ops/kernel/packet.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace kernel {

namespace FLOWGRAPH_LEVEL {

template <class T> FLOWGRAPH_ALWAYS_INLINE const T* row_of(const sample_rows<T>& f, std::int64_t i) {
  if (f.rows) return reinterpret_cast<const T*>(static_cast<const char*>(f.rows[i]) + f.offset);
  return f.first + i * f.columns;
}

// `Packets` packets of columns. The last packet is full if `Full`; otherwise it has only `rest` columns.
template <unsigned Packets, bool Full, class T> struct column_block {
  using P = packet<T>;
  static constexpr std::int64_t width = P::width;
  std::int64_t rest;

  FLOWGRAPH_ALWAYS_INLINE P load(const T* p, unsigned k) const {
    if (Full || k + 1 < Packets) return P::load(p + k * width);
    return P::load(p + k * width, rest, T(0));
  }
  FLOWGRAPH_ALWAYS_INLINE void store(T* p, unsigned k, P x) const {
    if (Full || k + 1 < Packets) x.store(p + k * width);
    else x.store(p + k * width, rest);
  }
};

// Calls body(column, block) for all columns.
template <class T, class F> FLOWGRAPH_ALWAYS_INLINE void for_column_packets(std::int64_t columns, const F& body) {
  constexpr std::int64_t width = packet<T>::width;
  std::int64_t at = 0;
  for (; at + 4 * width <= columns; at += 4 * width) body(at, column_block<4, true, T>{0});
  for (; at + width == columns || at + 2 * width <= columns; at += width) body(at, column_block<1, true, T>{0});
  if (at + width < columns) body(at, column_block<2, false, T>{columns - at - width});
  else if (at < columns) body(at, column_block<1, false, T>{columns - at});
}

template <bool Squares, unsigned Packets, bool Full, class T>
FLOWGRAPH_ALWAYS_INLINE void put_interactions(const sample_rows<T>& f, std::int64_t at, const column_block<Packets, Full, T>& b,
                                              T* y, T* squares) {
  using P = packet<T>;
  P sum[Packets], pairs[Packets], own[Packets];
  FLOWGRAPH_UNROLL
  for (unsigned k = 0; k < Packets; ++k) sum[k] = pairs[k] = own[k] = P(T(0));
  for (std::int64_t i = 0; i < f.count; ++i) {
    const T* const row = row_of(f, i) + at;
    const P value(f.values[i]);
    FLOWGRAPH_UNROLL
    for (unsigned k = 0; k < Packets; ++k) {
      const P w = b.load(row, k), x = value * w;
      sum[k] = sum[k] + x;
      pairs[k] = pairs[k] + x * x;
      if constexpr (Squares) own[k] = own[k] + w * w;
    }
  }
  FLOWGRAPH_UNROLL
  for (unsigned k = 0; k < Packets; ++k) {
    b.store(y + at, k, (sum[k] * sum[k] - pairs[k]) * T(0.5));
    if constexpr (Squares) b.store(squares + at, k, own[k] * T(0.5));
  }
  if (at >= f.linear) return;
  T sums[Packets * static_cast<unsigned>(P::width)];
  FLOWGRAPH_UNROLL
  for (unsigned k = 0; k < Packets; ++k) sum[k].store(sums + k * P::width);
  for (std::int64_t c = 0; c < std::int64_t{Packets} * P::width && at + c < f.linear; ++c) y[at + c] = sums[c];
}

template <bool Squares, unsigned Packets, bool Full, class T>
FLOWGRAPH_ALWAYS_INLINE void put_slopes(const sample_rows<T>& f, std::int64_t at, const column_block<Packets, Full, T>& b,
                                        bool weighted, const T* dy, const T* dsquares, T* drows) {
  using P = packet<T>;
  P factor[Packets], pairs[Packets], own[Packets];  // the slope is factor - pairs * x
  FLOWGRAPH_UNROLL
  for (unsigned k = 0; k < Packets; ++k) factor[k] = P(T(0));
  for (std::int64_t i = 0; i < f.count; ++i) {
    const T* const row = row_of(f, i) + at;
    const P value(f.values[i]);
    FLOWGRAPH_UNROLL
    for (unsigned k = 0; k < Packets; ++k) factor[k] = factor[k] + value * b.load(row, k);
  }
  FLOWGRAPH_UNROLL
  for (unsigned k = 0; k < Packets; ++k) {
    pairs[k] = b.load(dy + at, k);
    factor[k] = pairs[k] * factor[k];
    own[k] = Squares ? b.load(dsquares + at, k) : P(T(0));
  }
  if (at < f.linear) {
    T factors[Packets * static_cast<unsigned>(P::width)], slopes[Packets * static_cast<unsigned>(P::width)];
    FLOWGRAPH_UNROLL
    for (unsigned k = 0; k < Packets; ++k) {
      factor[k].store(factors + k * P::width);
      pairs[k].store(slopes + k * P::width);
    }
    for (std::int64_t c = 0; c < std::int64_t{Packets} * P::width && at + c < f.linear; ++c) {
      factors[c] = slopes[c];
      slopes[c] = 0;
    }
    FLOWGRAPH_UNROLL
    for (unsigned k = 0; k < Packets; ++k) {
      factor[k] = P::load(factors + k * P::width);
      pairs[k] = P::load(slopes + k * P::width);
    }
  }
  for (std::int64_t i = 0; i < f.count; ++i) {
    const T* const row = row_of(f, i) + at;
    T* const to = drows + i * f.columns + at;
    const P value(f.values[i]), outer = weighted ? value : P(T(1));
    FLOWGRAPH_UNROLL
    for (unsigned k = 0; k < Packets; ++k) {
      const P w = b.load(row, k), slope = outer * (factor[k] - pairs[k] * (value * w));
      b.store(to, k, Squares ? slope + own[k] * w : slope);
    }
  }
}

}  // namespace FLOWGRAPH_LEVEL

template <> template <class T> void interaction_kernels<own>::interactions(const sample_rows<T>& f, T* y, T* squares) {
  FLOWGRAPH_LEVEL::for_column_packets<T>(
      f.columns, [&](std::int64_t at, const auto& b) __attribute__((always_inline)) {
        if (squares) FLOWGRAPH_LEVEL::put_interactions<true>(f, at, b, y, squares);
        else FLOWGRAPH_LEVEL::put_interactions<false>(f, at, b, y, squares);
      });
}

template <>
template <class T>
void interaction_kernels<own>::slopes(const sample_rows<T>& f, bool weighted, const T* dy, const T* dsquares, T* drows) {
  FLOWGRAPH_LEVEL::for_column_packets<T>(
      f.columns, [&](std::int64_t at, const auto& b) __attribute__((always_inline)) {
        if (dsquares) FLOWGRAPH_LEVEL::put_slopes<true>(f, at, b, weighted, dy, dsquares, drows);
        else FLOWGRAPH_LEVEL::put_slopes<false>(f, at, b, weighted, dy, dsquares, drows);
      });
}

template <>
template <class T>
void interaction_kernels<own>::sum_of_rows(const T* rows, const std::uint32_t* numbers, std::int64_t count, std::int64_t columns,
                                           T* to) {
  FLOWGRAPH_LEVEL::for_column_packets<T>(
      columns, [=]<unsigned packets, bool full>(std::int64_t at, const FLOWGRAPH_LEVEL::column_block<packets, full, T>& b)
                   __attribute__((always_inline)) {
                     FLOWGRAPH_LEVEL::packet<T> sum[packets];
                     FLOWGRAPH_UNROLL
                     for (unsigned k = 0; k < packets; ++k) sum[k] = b.load(rows + numbers[0] * columns + at, k);
                     for (std::int64_t i = 1; i < count; ++i) {
                       FLOWGRAPH_UNROLL
                       for (unsigned k = 0; k < packets; ++k) sum[k] = sum[k] + b.load(rows + numbers[i] * columns + at, k);
                     }
                     FLOWGRAPH_UNROLL
                     for (unsigned k = 0; k < packets; ++k) b.store(to + at, k, sum[k]);
                   });
}

}
}
}  // namespace flowgraph::kernel

#include <flowgraph/show_names.hpp>
