// The kernels of the device.
#include "records.hpp"

namespace flowgraph::cuda {

namespace {

template <class Body, class Arguments> __global__ void __launch_bounds__(threads_per_block) run_body(const kernel_arguments all) {
  device_block b;
  Body{}(b, reinterpret_cast<const Arguments&>(all));
}

struct of_device {
  template <class Body, class Arguments> static const void* function() {
    return reinterpret_cast<const void*>(&run_body<Body, Arguments>);
  }
};

}  // namespace

std::span<const kernel_record> device_kernels() { return make_records(of_device{}); }

}  // namespace flowgraph::cuda
