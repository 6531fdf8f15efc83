#pragma once
// The bodies of interactions.hpp. They sum several packets of columns at a time, because each addition waits for the previous
// addition.

#include <flowgraph/ops/kernel/interactions.hpp>
#include <flowgraph/ops/kernel/packet.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel {

namespace FLOWGRAPH_LEVEL {

template <class T> FLOWGRAPH_ALWAYS_INLINE const T* row_of(const sample_rows<T>& f, std::int64_t i) {
  if (f.rows) return reinterpret_cast<const T*>(static_cast<const char*>(f.rows[i]) + f.offset);
  return f.first + i * f.columns;
}

// How many columns the last packet of a block has. Most rows have a weight and a multiple of eight factors.
enum class last_packet { full, one, some };

// `Packets` packets of columns. The last packet has `rest` columns if `Last` is `some`.
template <unsigned Packets, last_packet Last, class T> struct column_block {
  using P = packet<T>;
  static constexpr std::int64_t width = P::width;
  std::int64_t rest;

  FLOWGRAPH_ALWAYS_INLINE P load(const T* p, unsigned k) const {
    if (Last == last_packet::full || k + 1 < Packets) return P::load(p + k * width);
    if (Last == last_packet::one) return P::load_one(p + k * width);
    return P::load(p + k * width, rest, T(0));
  }
  FLOWGRAPH_ALWAYS_INLINE void store(T* p, unsigned k, P x) const {
    if (Last == last_packet::full || k + 1 < Packets) x.store(p + k * width);
    else if (Last == last_packet::one) x.store_one(p + k * width);
    else x.store(p + k * width, rest);
  }
};

// Calls body(column, block) for all columns.
template <class T, class F> FLOWGRAPH_ALWAYS_INLINE void for_column_packets(std::int64_t columns, const F& body) {
  using enum last_packet;
  constexpr std::int64_t width = packet<T>::width;
  std::int64_t at = 0;
  for (; at + 4 * width <= columns; at += 4 * width) body(at, column_block<4, full, T>{0});
  for (; at + width == columns || at + 2 * width <= columns; at += width) body(at, column_block<1, full, T>{0});
  if (at + width + 1 == columns) body(at, column_block<2, one, T>{1});
  else if (at + width < columns) body(at, column_block<2, some, T>{columns - at - width});
  else if (at + 1 == columns) body(at, column_block<1, one, T>{1});
  else if (at < columns) body(at, column_block<1, some, T>{columns - at});
}

template <bool Squares, unsigned Packets, last_packet Last, class T>
FLOWGRAPH_ALWAYS_INLINE void put_interactions(const sample_rows<T>& f, std::int64_t at, const column_block<Packets, Last, T>& b,
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

// Computes `factor` and `pairs`: the slope of a product x of a value and a row is factor - pairs * x.
template <unsigned Packets, last_packet Last, class T>
FLOWGRAPH_ALWAYS_INLINE void find_factors(const sample_rows<T>& f, std::int64_t at, const column_block<Packets, Last, T>& b,
                                          const T* dy, packet<T> (&factor)[Packets], packet<T> (&pairs)[Packets]) {
  using P = packet<T>;
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
}

template <bool Squares, unsigned Packets, last_packet Last, class T>
FLOWGRAPH_ALWAYS_INLINE void put_slopes(const sample_rows<T>& f, std::int64_t at, const column_block<Packets, Last, T>& b,
                                        bool weighted, const T* dy, const T* dsquares, T* drows) {
  using P = packet<T>;
  P factor[Packets], pairs[Packets], own[Packets];
  find_factors(f, at, b, dy, factor, pairs);
  FLOWGRAPH_UNROLL
  for (unsigned k = 0; k < Packets; ++k) own[k] = Squares ? b.load(dsquares + at, k) : P(T(0));
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

// The sum of the slopes of a row in several samples.
template <unsigned Packets, last_packet Last, class T>
FLOWGRAPH_ALWAYS_INLINE void put_row_slope(const T* row, const std::uint32_t* numbers, std::int64_t count,
                                           const sample_slopes<T>& of, std::int64_t at, const column_block<Packets, Last, T>& b,
                                           T* to) {
  using P = packet<T>;
  P w[Packets], sum[Packets];
  FLOWGRAPH_UNROLL
  for (unsigned k = 0; k < Packets; ++k) {
    w[k] = b.load(row + at, k);
    sum[k] = P(T(-0.0));  // -0 + x has the bits of x
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const T* const factors = of.numbers + std::int64_t{of.samples[numbers[i]]} * 3 * of.columns + at;
    const P value(of.values[numbers[i]]);
    FLOWGRAPH_UNROLL
    for (unsigned k = 0; k < Packets; ++k) {
      const P factor = b.load(factors, k), pairs = b.load(factors + of.columns, k), own = b.load(factors + 2 * of.columns, k);
      sum[k] = sum[k] + (value * (factor - pairs * (value * w[k])) + own * w[k]);
    }
  }
  FLOWGRAPH_UNROLL
  for (unsigned k = 0; k < Packets; ++k) b.store(to + at, k, sum[k]);
}

// The functions below take the sample by value: stores of packets might change what a reference refers to.

// Adds value i * value j * (vector of row i for the field of j) * (vector of row j for the field of i), summed over the pairs.
// Columns are added one after another, at every level.
template <unsigned Packets, last_packet Last, class T, class F>
FLOWGRAPH_ALWAYS_INLINE void add_field_pairs(sample_rows<T> f, const F* fields, std::int64_t factors, std::int64_t at,
                                             const column_block<Packets, Last, T>& b, T& total) {
  using P = packet<T>;
  P sum[Packets];
  FLOWGRAPH_UNROLL
  for (unsigned k = 0; k < Packets; ++k) sum[k] = P(T(0));
  for (std::int64_t i = 0; i < f.count; ++i) {
    const T* const row = row_of(f, i) + f.linear + at;
    const std::int64_t to_i = f.linear + fields[i] * factors + at;
    for (std::int64_t j = i + 1; j < f.count; ++j) {
      const T *const left = row + fields[j] * factors, *const right = row_of(f, j) + to_i;
      const P value(f.values[i] * f.values[j]);
      FLOWGRAPH_UNROLL
      for (unsigned k = 0; k < Packets; ++k) sum[k] = sum[k] + value * (b.load(left, k) * b.load(right, k));
    }
  }
  T sums[Packets * static_cast<unsigned>(P::width)];
  FLOWGRAPH_UNROLL
  for (unsigned k = 0; k < Packets; ++k) sum[k].store(sums + k * P::width);
  for (std::int64_t c = 0; c < std::int64_t{Packets} * P::width && at + c < factors; ++c) total += sums[c];
}

// Returns the sum of the squares of columns [f.linear, f.columns) of all rows. It is the sum of 16 sums, at every level.
template <class T> FLOWGRAPH_ALWAYS_INLINE T sum_of_squares(sample_rows<T> f) {
  using P = packet<T>;
  constexpr std::int64_t parts = 16, width = P::width;
  constexpr unsigned packets = parts / width;
  P sum[packets];
  FLOWGRAPH_UNROLL
  for (unsigned k = 0; k < packets; ++k) sum[k] = P(T(0));
  for (std::int64_t i = 0; i < f.count; ++i) {
    const T* const row = row_of(f, i);
    std::int64_t at = f.linear;
    for (; at + parts <= f.columns; at += parts) {
      FLOWGRAPH_UNROLL
      for (unsigned k = 0; k < packets; ++k) {
        const P w = P::load(row + at + k * width);
        sum[k] = sum[k] + w * w;
      }
    }
    for (unsigned k = 0; at < f.columns; ++k, at += width) {
      const P w = at + width <= f.columns ? P::load(row + at) : P::load(row + at, f.columns - at, T(0));
      sum[k] = sum[k] + w * w;
    }
  }
  T sums[parts], total = 0;
  FLOWGRAPH_UNROLL
  for (unsigned k = 0; k < packets; ++k) sum[k].store(sums + k * width);
  for (const T part : sums) total += part;
  return total;
}

// Writes the part of the gradient of row i that depends on this row only: that of the first f.linear columns, and that of the
// squares.
template <class T>
FLOWGRAPH_ALWAYS_INLINE void put_own_slopes(sample_rows<T> f, std::int64_t i, bool weighted, const T* dy, const T* dsquares,
                                            T* to) {
  using P = packet<T>;
  constexpr std::int64_t width = P::width;
  const T* const row = row_of(f, i);
  const T outer = weighted ? f.values[i] : T(1);
  for (std::int64_t c = 0; c < f.linear; ++c) {
    const T slope = outer * dy[c];
    to[c] = dsquares ? slope + dsquares[c] * row[c] : slope;
  }
  const P factor(dsquares ? dsquares[f.linear] : T(0));
  std::int64_t at = f.linear;
  for (; at + width <= f.columns; at += width) (dsquares ? factor * P::load(row + at) : factor).store(to + at);
  if (const std::int64_t rest = f.columns - at; rest > 0)
    (dsquares ? factor * P::load(row + at, rest, T(0)) : factor).store(to + at, rest);
}

// Adds the slopes of the pairs of feature i to the gradient of its row.
template <unsigned Packets, last_packet Last, class T, class F>
FLOWGRAPH_ALWAYS_INLINE void add_field_slopes(sample_rows<T> f, std::int64_t i, const F* fields, std::int64_t factors,
                                              std::int64_t at, const column_block<Packets, Last, T>& b, bool weighted, T slope,
                                              T* to) {
  using P = packet<T>;
  const std::int64_t to_i = f.linear + fields[i] * factors + at;
  const T x = f.values[i];
  to += f.linear + at;
  for (std::int64_t j = 0; j < f.count; ++j) {
    if (j == i) continue;
    const T* const other = row_of(f, j) + to_i;
    T* const sum = to + fields[j] * factors;
    const P outer(slope * (weighted ? x * f.values[j] : f.values[j]));
    FLOWGRAPH_UNROLL
    for (unsigned k = 0; k < Packets; ++k) b.store(sum, k, b.load(sum, k) + outer * b.load(other, k));
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
      columns, [=]<unsigned packets, FLOWGRAPH_LEVEL::last_packet last>(
                   std::int64_t at, const FLOWGRAPH_LEVEL::column_block<packets, last, T>& b) __attribute__((always_inline)) {
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

template <>
template <class T>
void interaction_kernels<own>::slope_factors(const sample_rows<T>& f, const T* dy, const T* dsquares, T* numbers) {
  FLOWGRAPH_LEVEL::for_column_packets<T>(
      f.columns, [&]<unsigned packets, FLOWGRAPH_LEVEL::last_packet last>(
                     std::int64_t at, const FLOWGRAPH_LEVEL::column_block<packets, last, T>& b) __attribute__((always_inline)) {
        FLOWGRAPH_LEVEL::packet<T> factor[packets], pairs[packets];
        FLOWGRAPH_LEVEL::find_factors(f, at, b, dy, factor, pairs);
        FLOWGRAPH_UNROLL
        for (unsigned k = 0; k < packets; ++k) {
          b.store(numbers + at, k, factor[k]);
          b.store(numbers + f.columns + at, k, pairs[k]);
          b.store(numbers + 2 * f.columns + at, k, b.load(dsquares + at, k));
        }
      });
}

template <>
template <class T>
void interaction_kernels<own>::row_slope(const T* row, const std::uint32_t* numbers, std::int64_t count,
                                         const sample_slopes<T>& of, T* to) {
  FLOWGRAPH_LEVEL::for_column_packets<T>(
      of.columns, [&](std::int64_t at, const auto& b)
                      __attribute__((always_inline)) { FLOWGRAPH_LEVEL::put_row_slope(row, numbers, count, of, at, b, to); });
}

template <>
template <class T, class F>
void interaction_kernels<own>::field_interactions(const sample_rows<T>& f, const F* fields, std::int64_t factors, T* y,
                                                  T* squares) {
  for (std::int64_t c = 0; c < f.linear; ++c) {
    T sum = 0, of_squares = 0;
    for (std::int64_t i = 0; i < f.count; ++i) {
      const T w = FLOWGRAPH_LEVEL::row_of(f, i)[c], x = f.values[i] * w, square = w * w;
      sum = sum + x;
      of_squares = of_squares + square;
    }
    y[c] = sum;
    if (squares) squares[c] = of_squares * T(0.5);
  }
  T total = 0;
  FLOWGRAPH_LEVEL::for_column_packets<T>(
      factors, [&](std::int64_t at, const auto& b)
                   __attribute__((always_inline)) { FLOWGRAPH_LEVEL::add_field_pairs(f, fields, factors, at, b, total); });
  y[f.linear] = total;
  if (squares) squares[f.linear] = FLOWGRAPH_LEVEL::sum_of_squares(f) * T(0.5);
}

template <>
template <class T, class F>
void interaction_kernels<own>::field_slopes(const sample_rows<T>& f, const F* fields, std::int64_t factors, bool weighted,
                                            const T* dy, const T* dsquares, T* drows) {
  for (std::int64_t i = 0; i < f.count; ++i) {
    T* const to = drows + i * f.columns;
    FLOWGRAPH_LEVEL::put_own_slopes(f, i, weighted, dy, dsquares, to);
    FLOWGRAPH_LEVEL::for_column_packets<T>(
        factors, [&](std::int64_t at, const auto& b) __attribute__((always_inline)) {
          FLOWGRAPH_LEVEL::add_field_slopes(f, i, fields, factors, at, b, weighted, dy[f.linear], to);
        });
  }
}

}  // namespace flowgraph::kernel

#include <flowgraph/show_names.hpp>
