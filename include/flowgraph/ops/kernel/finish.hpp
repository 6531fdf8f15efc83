#pragma once
// Finishes a part of a result that a product has just stored: see functors/result_finish.hpp.

#include <flowgraph/functors/activation.hpp>
#include <flowgraph/ops/kernel/math.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel {

namespace FLOWGRAPH_LEVEL {

// What finishes a packet of columns, from `column` on. `n`: the number of columns, if they do not fill the packet.
template <class T> struct finished_columns {
  using P = packet<T>;
  using limit = functor::result_finish::limit;

  const functor::result_finish& f;
  const std::int64_t n;
  P shift, factor, offset;

  FLOWGRAPH_ALWAYS_INLINE finished_columns(const functor::result_finish& finish, std::int64_t column, std::int64_t count)
      : f(finish), n(count) {
    if (f.shift) shift = load(f.shift + column);
    if (f.factor) factor = load(f.factor + column);
    if (f.offset) offset = load(f.offset + column);
  }
  FLOWGRAPH_ALWAYS_INLINE P load(const T* p) const { return n < P::width ? P::load(p, n, T(0)) : P::load(p); }

  // Finishes the elements of some rows, which begin at at[0], at[1], ...
  template <int Rows> FLOWGRAPH_ALWAYS_INLINE void finish(T* const (&at)[unsigned{Rows}]) const {
    P y[unsigned{Rows}];
    const auto each = [&](const auto& change) __attribute__((always_inline)) {
      FLOWGRAPH_UNROLL
      for (int i = 0; i < Rows; ++i) change(y[i], at[i]);
    };
    each([&](P & x, const T* p) __attribute__((always_inline)) { x = load(p); });
    if (f.shift) each([&](P & x, const T*) __attribute__((always_inline)) { x = x - shift; });
    if (f.factor) each([&](P & x, const T*) __attribute__((always_inline)) { x = x * factor; });
    if (f.offset) each([&](P & x, const T*) __attribute__((always_inline)) { x = x + offset; });
    if (f.other) each([&](P & x, const T* p) __attribute__((always_inline)) { x = x + load(f.other + (p - f.result)); });
    if (f.bound == limit::relu) each([](P & x, const T*) __attribute__((always_inline)) { x = functor::relu::packet(x); });
    if (f.bound == limit::relu6) each([](P & x, const T*) __attribute__((always_inline)) { x = functor::relu6::packet(x); });
    if (n < P::width) each([&](P & x, T * p) __attribute__((always_inline)) { x.store(p, n); });
    else each([](P & x, T * p) __attribute__((always_inline)) { x.store(p); });
  }
};

// Finishes sums that are still in registers, in the order of finished_columns. `column`: the column of the first sum of each row;
// row i will be stored at row(i).
template <int Rows, int Vectors, class T, class Row>
FLOWGRAPH_ALWAYS_INLINE void finish_sums(const functor::result_finish& f, std::int64_t column, const Row& row,
                                         packet<T> (&sum)[unsigned(Rows)][unsigned(Vectors)]) {
  using P = packet<T>;
  using limit = functor::result_finish::limit;
  const auto each = [&](const auto& change) __attribute__((always_inline)) {
    FLOWGRAPH_UNROLL
    for (int v = 0; v < Vectors; ++v) {
      FLOWGRAPH_UNROLL
      for (int i = 0; i < Rows; ++i) change(sum[i][v], i, v);
    }
  };
  const auto each_by = [&](const T* factors, const auto& change) __attribute__((always_inline)) {
    FLOWGRAPH_UNROLL
    for (int v = 0; v < Vectors; ++v) {
      const P factor = P::load(factors + column + v * P::width);
      FLOWGRAPH_UNROLL
      for (int i = 0; i < Rows; ++i) change(sum[i][v], factor);
    }
  };
  const auto subtract = [](P & x, P y) __attribute__((always_inline)) { x = x - y; };
  const auto multiply = [](P & x, P y) __attribute__((always_inline)) { x = x * y; };
  const auto add = [](P & x, P y) __attribute__((always_inline)) { x = x + y; };
  const auto add_other = [&](P & x, int i, int v) __attribute__((always_inline)) {
    x = x + P::load(f.other + (row(i) - f.result) + v * P::width);
  };
  if (f.shift) each_by(f.shift, subtract);
  if (f.factor) each_by(f.factor, multiply);
  if (f.offset) each_by(f.offset, add);
  if (f.other) each(add_other);
  if (f.bound == limit::relu) each([](P & x, int, int) __attribute__((always_inline)) { x = functor::relu::packet(x); });
  if (f.bound == limit::relu6) each([](P & x, int, int) __attribute__((always_inline)) { x = functor::relu6::packet(x); });
}

}  // namespace FLOWGRAPH_LEVEL

template <> template <class T> void kernels<own>::finish(const functor::result_finish& f, const result_part<T>& part) {
  const auto row = [&](std::int64_t i) { return part.at + (part.targets ? part.targets[i] : i * part.step); };
  const std::int64_t column = (row(0) - f.result) % f.columns;
  for (std::int64_t at = 0; at < part.columns; at += FLOWGRAPH_LEVEL::packet<T>::width) {
    const FLOWGRAPH_LEVEL::finished_columns<T> columns(f, column + at, part.columns - at);
    std::int64_t i = 0;
    for (; i + 4 <= part.rows; i += 4)
      columns.template finish<4>({row(i) + at, row(i + 1) + at, row(i + 2) + at, row(i + 3) + at});
    for (; i < part.rows; ++i) columns.template finish<1>({row(i) + at});
  }
}

}  // namespace flowgraph::kernel

#include <flowgraph/show_names.hpp>
