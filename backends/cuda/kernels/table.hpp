#pragma once
// The table of the kernels: one record per op and element type.

#include <cstddef>
#include <span>
#include <string_view>

namespace flowgraph::cuda {

enum class kernel_form : unsigned char { unary, binary, paired, row_sum };
enum class kernel_type : unsigned char { float32, float64 };

// The functions of one op for one element type. A driver knows how to call them: they are kernels of CUDA, or of the emulation.
struct kernel_record {
  std::string_view op;
  kernel_form form;
  kernel_type type;
  const void* same_shape;           // operands of one shape or single numbers
  const void* broadcast = nullptr;  // operands that are broadcast; null: the op has no such form
};

// Returns the kernel of an op, or null.
inline const kernel_record* find_kernel(std::span<const kernel_record> table, std::string_view op, kernel_type type) {
  for (const kernel_record& k : table)
    if (k.op == op && k.type == type) return &k;
  return nullptr;
}

// Returns the kernels that nvcc compiled.
std::span<const kernel_record> device_kernels();

}  // namespace flowgraph::cuda
