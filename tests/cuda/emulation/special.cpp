// The kernels of the emulated GPU for special functions, bits, and resizing of images.
#include "launch.hpp"

#include <cuda/kernels/special_list.hpp>

namespace emulation {

std::vector<cuda::kernel_record> special_kernels() { return cuda::special_list<of_host>().make(); }

}  // namespace emulation
