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
  device_memory* const memory = call.run->on ? device_memory::find(call.run->on->memory()) : nullptr;
  if (!memory)
    return cpu(call).fail(
        error_code::failed_precondition,
        message{"a kernel for GPUs was added to ", call.run->on ? to_string(call.run->on->name()) : std::string("the CPU"),
                ", which is not a GPU"});
  if (error why = memory->launch(function, blocks, all)) cpu(call).fail(std::move(why));
}

}
}
}  // namespace flowgraph::cuda
