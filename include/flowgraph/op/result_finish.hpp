#pragma once
// How an op takes part in the finishing of the result of another op (functors/result_finish.hpp).

#include <flowgraph/functors/result_finish.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct edge_value;

namespace detail {

using functor::result_finish;

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
