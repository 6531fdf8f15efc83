#pragma once
// The kernels of the emulated GPU.

#include <cuda/kernels/table.hpp>

namespace emulation {

std::span<const flowgraph::cuda::kernel_record> kernels();

}  // namespace emulation
