#pragma once
// The axes of the result of an element-wise kernel, with the steps of its operands.

#include <flowgraph/core/shape.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace flowgraph::inline FLOWGRAPH_ABI::cuda {

// Adjacent axes are joined to one axis if all operands allow this. An operand has the step 0 along axes that repeat its elements.
template <std::size_t Operands> struct broadcast_axes {
  int rank = 0;
  std::int64_t extents[shape::max_rank] = {};
  std::int64_t steps[Operands][shape::max_rank] = {};

  broadcast_axes() = default;
  broadcast_axes(const shape& result, const std::array<shape, Operands>& operands) {
    for (int axis = 0; axis < result.rank; ++axis) {
      std::int64_t by[Operands];
      for (std::size_t k = 0; k < Operands; ++k) by[k] = step(operands[k], axis - (result.rank - operands[k].rank));
      add(result[axis], by);
    }
  }

  // Returns the position in an operand of the element for element i of the result.
  FLOWGRAPH_FUNCTION std::int64_t place(std::int64_t i, std::size_t operand) const {
    std::int64_t at = 0;
    for (int axis = rank - 1; axis >= 0; --axis) {
      at += i % extents[axis] * steps[operand][axis];
      i /= extents[axis];
    }
    return at;
  }

private:
  static std::int64_t step(const shape& operand, int axis) {
    if (axis < 0 || operand[axis] == 1) return 0;
    std::int64_t result = 1;
    for (int i = axis + 1; i < operand.rank; ++i) result *= operand[i];
    return result;
  }
  void add(std::int64_t extent, const std::int64_t (&by)[Operands]) {
    if (extent == 1) return;
    bool continues = rank > 0;
    for (std::size_t k = 0; k < Operands; ++k) continues = continues && steps[k][rank - 1] == by[k] * extent;
    if (!continues) extents[rank++] = 1;
    extents[rank - 1] *= extent;
    for (std::size_t k = 0; k < Operands; ++k) steps[k][rank - 1] = by[k];
  }
};

}  // namespace flowgraph::cuda
