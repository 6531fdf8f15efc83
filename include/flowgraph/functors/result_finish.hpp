#pragma once
// How the kernel of a convolution or product finishes its result: it applies these operations to each part of the result as soon as
// the part is there, while it is in the first-level cache. The pass that finds the operations is in passes/finish_results.hpp.

#include <flowgraph/config.hpp>

#include <cstdint>

namespace flowgraph::inline FLOWGRAPH_ABI::functor {

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

}  // namespace flowgraph::functor
