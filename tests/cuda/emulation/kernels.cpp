// The kernels of the emulated GPU: the bodies of backends/cuda/kernels, compiled for the host.
#include "block.hpp"
#include "kernels.hpp"

#include <cuda/kernels/list.hpp>

namespace emulation {

namespace {

template <class Body, class Arguments> void run(block& b, const cuda::kernel_arguments& a) {
  Body()(b, reinterpret_cast<const Arguments&>(a));
}

struct of_host {
  template <class Body, class Arguments> static const void* function() {
    return reinterpret_cast<const void*>(static_cast<kernel>(&run<Body, Arguments>));
  }
};

}  // namespace

std::span<const cuda::kernel_record> kernels() {
  static const std::vector<cuda::kernel_record> all = cuda::kernel_list<of_host>().make();
  return all;
}

}  // namespace emulation
