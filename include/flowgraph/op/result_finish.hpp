#pragma once
// How the kernel of a convolution finishes its result: it computes the nodes that follow for each part of the result as soon as the
// part is there, while it is in the first-level cache. The pass that finds these nodes is in passes/finish_results.hpp.

#include <flowgraph/config.hpp>

#include <cstdint>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct edge_value;

namespace detail {

// y becomes bound((y - shift) * factor + offset + other), each operation rounded by itself. An operation whose operand is null is
// left out. `shift`, `factor` and `offset` have one number per column of the result, and `other` has as many elements as the result.
// Columns are the elements with the same last index.
struct result_finish {
  enum class limit : std::uint8_t { none, relu, relu6 };

  const float* result;  // its first element
  std::int64_t columns;
  const float* shift = nullptr;
  const float* factor = nullptr;
  const float* offset = nullptr;
  const float* other = nullptr;
  limit bound = limit::none;
};

// The operation of result_finish that an element-wise op computes.
enum class finish_step : std::uint8_t { none, subtract, multiply, add, relu, relu6 };

// How an op normalizes the columns of its first input, if that has floats.
struct column_normalization {
  bool (*applies)(const void* op);  // whether the attributes allow it
  // Sets shift, factor and offset. `others`: the inputs behind the first. Writes a factor for each column to `factors`.
  void (*set)(const void* op, const edge_value* const* others, float* factors, result_finish& f);
};

}  // namespace detail

}  // namespace flowgraph
