// The kernels of the device for networks: windows, batch normalization, scans, order, random numbers.
#include <cuda/kernels/launch.hpp>
#include <cuda/kernels/network_list.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

std::vector<kernel_record> network_kernels() { return network_list<of_device>().make(); }

}
}
}  // namespace flowgraph::cuda
