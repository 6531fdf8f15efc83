#pragma once
// Makes kernels of the emulated GPU from bodies.

#include "block.hpp"
#include "kernels.hpp"

namespace emulation {

template <class Body, class Arguments> void run(block& b, const cuda::kernel_arguments& a) {
  Body()(b, reinterpret_cast<const Arguments&>(a));
}

struct of_host {
  template <class Body, class Arguments> static const void* function() {
    return reinterpret_cast<const void*>(static_cast<kernel>(&run<Body, Arguments>));
  }
};

std::vector<cuda::kernel_record> network_kernels();
std::vector<cuda::kernel_record> row_kernels();
std::vector<cuda::kernel_record> special_kernels();

}  // namespace emulation
