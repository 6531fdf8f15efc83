#pragma once
// The kernels of programs' own ops, for an emulated GPU: <flowgraph/cuda/kernel.hpp> includes this file instead of CUDA.

#include "block.hpp"

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

template <class Body, class Arguments> const void* kernel_function() {
  const emulation::kernel run = [](emulation::block& b, const kernel_arguments& a) {
    Body()(b, reinterpret_cast<const Arguments&>(a));
  };
  return reinterpret_cast<const void*>(run);
}

}
}
}  // namespace flowgraph::cuda
