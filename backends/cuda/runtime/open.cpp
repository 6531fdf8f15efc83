// Opens GPUs for programs.
#include <cuda/device/gpu.hpp>
#include <cuda/runtime/driver.hpp>

#include <flowgraph/cuda/cuda.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

result<std::unique_ptr<device>> open(int index, const open_options& options) {
  auto by = open_driver(index);
  if (!by) return by.error();
  const std::string name = options.name.empty() ? message{"gpu:", index}.string() : std::string(options.name);
  return make_device(name, *std::move(by),
                     {.memory_limit = options.memory_limit,
                      .synchronous = options.synchronous,
                      .compute = options.stream,
                      .functions = options.memory},
                     options.libraries);
}

}
}
}  // namespace flowgraph::cuda
