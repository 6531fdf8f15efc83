#pragma once
// The driver of a real GPU, by the CUDA runtime.

#include <cuda/device/driver.hpp>

#include <memory>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

// Opens a GPU. The runtime loads the driver's library when this function is called for the first time.
result<std::unique_ptr<driver>> open_driver(int index);

}
}
}  // namespace flowgraph::cuda
