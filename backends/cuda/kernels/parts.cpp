// The kernels that nvcc compiled, in the order of the list.
#include <cuda/kernels/table.hpp>

#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

namespace {

template <int... Part> std::vector<kernel_record> all_parts_of(std::integer_sequence<int, Part...>) {
  std::vector<kernel_record> all;
  for (const auto& part : {device_kernels_of_part<Part>()...}) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

std::span<const kernel_record> device_kernels() {
  static const std::vector<kernel_record> all = all_parts_of(std::make_integer_sequence<int, part_count>());
  return all;
}

}
}
}  // namespace flowgraph::cuda
