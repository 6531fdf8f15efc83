// The kernels of the emulated GPU for networks.
#include "launch.hpp"

#include <cuda/kernels/network_list.hpp>

namespace emulation {

std::vector<cuda::kernel_record> network_kernels() { return cuda::network_list<of_host>().make(); }

}  // namespace emulation
