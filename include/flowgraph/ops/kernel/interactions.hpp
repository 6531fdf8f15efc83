#pragma once
// The inner loops of factorization machines, once per instruction-set level: their declarations. The bodies are in
// interaction_loops.hpp. All levels return the same bits: each product and each sum is rounded, and rows are added in order.

#include <flowgraph/ops/kernel/kernels.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel {

// The rows of the features of a sample, and the values by which they are multiplied. The first `linear` columns have no pairs.
template <class T> struct sample_rows {
  const void* const* rows;  // row i begins `offset` bytes after rows[i]. Null: the rows are the matrix `first`
  std::int64_t offset;
  const T* first;
  const T* values;
  std::int64_t count, columns, linear;
};

// The numbers of each sample from which the slopes of the rows of its features follow.
template <class T> struct sample_slopes {
  const T* values;               // of each feature
  const std::uint32_t* samples;  // of each feature
  const T* numbers;              // 3 * columns for each sample, as slope_factors writes them
  std::int64_t columns;
};

template <class Level> struct interaction_kernels {
  // Writes the interactions of each column, and half of the sum of the squares of the rows if `squares` is not null.
  template <class T> static void interactions(const sample_rows<T>& f, T* y, T* squares);
  // Writes the gradient with respect to the rows. If not `weighted`, the gradient is not multiplied by the values. `dsquares` may
  // be null.
  template <class T> static void slopes(const sample_rows<T>& f, bool weighted, const T* dy, const T* dsquares, T* drows);
  // Writes the 3 * f.columns numbers of a sample from which `row_slope` computes.
  template <class T> static void slope_factors(const sample_rows<T>& f, const T* dy, const T* dsquares, T* numbers);
  // Writes the sum of the gradients that `slopes`, weighted, writes for features numbers[0], numbers[1], ... of the same row.
  // `count` is positive.
  template <class T>
  static void row_slope(const T* row, const std::uint32_t* numbers, std::int64_t count, const sample_slopes<T>& of, T* to);
  // to = row numbers[0] + row numbers[1] + ... of the matrix `rows`, in this order. `count` is positive.
  template <class T>
  static void sum_of_rows(const T* rows, const std::uint32_t* numbers, std::int64_t count, std::int64_t columns, T* to);

  // The same for features with fields: after f.linear columns, a row contains a vector of `factors` numbers for each field. Feature
  // i has the field fields[i]. `y`, `squares`, `dy` and `dsquares` contain f.linear numbers for columns, and one for all vectors.
  template <class T, class F>
  static void field_interactions(const sample_rows<T>& f, const F* fields, std::int64_t factors, T* y, T* squares);
  template <class T, class F>
  static void field_slopes(const sample_rows<T>& f, const F* fields, std::int64_t factors, bool weighted, const T* dy,
                           const T* dsquares, T* drows);
};

}  // namespace flowgraph::kernel
