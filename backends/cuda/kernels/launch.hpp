#pragma once
// Kernels of CUDA from bodies.

#include <flowgraph/cuda/block.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

template <class Body, class Arguments> __global__ void __launch_bounds__(threads_per_block) run_body(const Arguments a) {
  device_block b;
  Body()(b, a);
}

struct of_device {
  template <class Body, class Arguments> static const void* function() {
    return reinterpret_cast<const void*>(&run_body<Body, Arguments>);
  }
};

}
}
}  // namespace flowgraph::cuda
