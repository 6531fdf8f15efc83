// The kernels of the emulated GPU that change rows by index.
#include "launch.hpp"

#include <cuda/kernels/row_list.hpp>

namespace emulation {

std::vector<cuda::kernel_record> row_kernels() { return cuda::row_list<of_host>().make(); }

}  // namespace emulation
