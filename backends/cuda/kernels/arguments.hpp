#pragma once
// The arguments of the kernels, which a launch copies. Pointers are addresses of the device.

#include <flowgraph/config.hpp>

#include <cstdint>

namespace flowgraph::cuda {

// y[i] = f(a[i], b[i]) for `size` elements. An operand whose step is 0 is a single number. A kernel of one operand ignores b.
struct map_arguments {
  const void* a = nullptr;
  const void* b = nullptr;
  void* y = nullptr;
  std::int64_t size = 0;
  std::int64_t a_step = 1, b_step = 1;
};

// y = f(a, b) for operands that are broadcast: the steps are 0 along the axes that repeat.
struct broadcast_arguments {
  static constexpr int max_rank = 8;

  const void* a = nullptr;
  const void* b = nullptr;
  void* y = nullptr;
  std::int64_t size = 0;
  int rank = 0;
  std::int64_t extents[max_rank] = {}, a_steps[max_rank] = {}, b_steps[max_rank] = {};
};

// y[r] = the sum of row r of x, which has `columns` elements.
struct row_arguments {
  const void* x = nullptr;
  void* y = nullptr;
  std::int64_t rows = 0, columns = 0;
};

// The arguments of any kernel.
union kernel_arguments {
  map_arguments map;
  broadcast_arguments broadcast;
  row_arguments row;
};

}  // namespace flowgraph::cuda
