// The kernels of the device.
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

std::span<const kernel_record> device_kernels() {
  static const std::vector<kernel_record> all = kernel_list<of_device>().make();
  return all;
}

}
}
}  // namespace flowgraph::cuda
