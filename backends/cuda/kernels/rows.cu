// The kernels of the device that change rows by index.
#include <cuda/kernels/launch.hpp>
#include <cuda/kernels/row_list.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

std::vector<kernel_record> row_kernels() { return row_list<of_device>().make(); }

}
}
}  // namespace flowgraph::cuda
