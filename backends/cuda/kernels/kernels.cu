// The kernels of the device: maps, moves, reductions, products and updates.
#include <cuda/kernels/launch.hpp>
#include <cuda/kernels/list.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

std::vector<kernel_record> network_kernels();
std::vector<kernel_record> row_kernels();

std::span<const kernel_record> device_kernels() {
  static const std::vector<kernel_record> all =
      joined_records({kernel_list<of_device>().make(), network_kernels(), row_kernels()});
  return all;
}

}
}
}  // namespace flowgraph::cuda
