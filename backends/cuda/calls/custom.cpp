// Launches kernels that programs have added.
#include <cuda/calls/gpu_call.hpp>

#include <flowgraph/cuda/kernel.hpp>

#include <cstring>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

static_assert(most_argument_bytes <= sizeof(kernel_arguments));

void custom::launch(detail::kernel_call& call, const void* function, std::int64_t blocks, const void* arguments,
                    std::size_t bytes) {
  if (blocks <= 0 || *call.failure) return;
  kernel_arguments all;
  std::memcpy(static_cast<void*>(&all), arguments, bytes);
  const gpu& on = static_cast<const gpu&>(*call.run->on);
  if (error why = on.own_memory().launch(function, blocks, all)) cpu(call).fail(std::move(why));
}

}
}
}  // namespace flowgraph::cuda
