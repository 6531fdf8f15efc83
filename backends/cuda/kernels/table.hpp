#pragma once
// The table of the kernels: one record per op and element type.

#include <flowgraph/core/type.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

// How the host calls the functions of a record.
enum class kernel_form : std::uint8_t {
  unary,
  binary,  // operands are broadcast
  paired,
  bias,
  cast,
  select,
  reduce,
  bias_sum,
  sum_of_squares,
  search,
  transpose,
  slice,
  pad,
  tile,
  broadcast_to,
  reverse,
  strided,
  strided_gradient,
  concat,
  split,
  pack,
  unpack,
  fill,
  fill_like,
  add_n,
  gather,
  segment_sum,
  product,
  softmax,
  loss_by_class,
  loss_by_probability,
  pool,
  max_pool_gradient,
  mean_pool_gradient,
  convolution,
  convolution_by_input,
  convolution_by_filter,
  update
};

// The functions of one op for its element types, in the order of its type attributes. A driver can launch the functions: they are
// kernels of CUDA, or of the emulation.
struct kernel_record {
  std::string_view op;
  kernel_form form = kernel_form::unary;
  dtype types[2] = {dtype::invalid, dtype::invalid};  // invalid: any index type, or no further type attribute
  const void* function = nullptr;
  const void* second = nullptr;     // a second form of the function, for example for operands that are broadcast
  std::uint64_t value[2] = {};      // for fill_like: the bytes of an element
  std::uint8_t after_gradient = 0;  // for update: how many scalars follow the gradient
  bool makes_bools = false;         // the elements of the result are not those of the operands
};

// The list has parts, which nvcc compiles one by one; the parts of the list, in its order.
inline constexpr int part_count = 8, all_parts = -1;
template <int Part> std::vector<kernel_record> device_kernels_of_part();

// Returns the kernels that nvcc compiled.
std::span<const kernel_record> device_kernels();

}
}
}  // namespace flowgraph::cuda
