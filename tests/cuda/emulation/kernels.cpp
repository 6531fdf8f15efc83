// The kernels of the emulated GPU: the bodies of backends/cuda/kernels, compiled for the host.
#include "launch.hpp"

#include <cuda/kernels/list.hpp>

namespace emulation {

std::span<const cuda::kernel_record> kernels() {
  static const std::vector<cuda::kernel_record> all =
      cuda::joined_records({cuda::kernel_list<of_host>().make(), network_kernels(), row_kernels(), special_kernels()});
  return all;
}

}  // namespace emulation
