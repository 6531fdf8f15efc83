// The kernels of the device: one part of the lists, FLOWGRAPH_CUDA_PART. The build compiles this file once for each part.
#include <cuda/kernels/launch.hpp>
#include <cuda/kernels/list.hpp>
#include <cuda/kernels/network_list.hpp>
#include <cuda/kernels/row_list.hpp>
#include <cuda/kernels/special_list.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

template <> std::vector<kernel_record> device_kernels_of_part<FLOWGRAPH_CUDA_PART>() {
  constexpr int part = FLOWGRAPH_CUDA_PART;
  if constexpr (part < general_parts) return kernel_list<of_device>().make<part>();
  else if constexpr (part < general_parts + network_parts) return network_list<of_device>().make<part - general_parts>();
  else if constexpr (part == general_parts + network_parts) return row_list<of_device>().make();
  else return special_list<of_device>().make<part - general_parts - network_parts - 1>();
}

}
}
}  // namespace flowgraph::cuda
