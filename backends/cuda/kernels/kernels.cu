// The kernels of the device: one part of the list, FLOWGRAPH_CUDA_PART. The build compiles this file once for each part.
#include <cuda/kernels/list.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

namespace {

template <class Body, class Arguments> __global__ void __launch_bounds__(threads_per_block) run_body(const Arguments a) {
  device_block b;
  Body()(b, a);
}

struct of_device {
  template <class Body, class Arguments> static const void* function() {
    return reinterpret_cast<const void*>(&run_body<Body, Arguments>);
  }
};

}  // namespace

template <> std::vector<kernel_record> device_kernels_of_part<FLOWGRAPH_CUDA_PART>() {
  return kernel_list<of_device>().make<FLOWGRAPH_CUDA_PART>();
}

}
}
}  // namespace flowgraph::cuda
