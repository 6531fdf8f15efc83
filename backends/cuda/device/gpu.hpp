#pragma once
// A GPU as a device of sessions.

#include <cuda/device/memory.hpp>

#include <flowgraph/core/message.hpp>
#include <flowgraph/op/device.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

class gpu final : public device {
public:
  gpu(std::string_view name, std::shared_ptr<const kernel_set> kernels, std::unique_ptr<device_memory> memory)
      : device(name, std::move(kernels), memory.get()), memory_(std::move(memory)) {
    if (memory_->limit() > 0) set_budget(memory_->make_budget(message{"the limit of ", to_string(this->name())}));
  }

  device_memory& own_memory() const noexcept { return *memory_; }
  // Returns the record of a kernel, by its number in the list.
  const kernel_record& kernel(std::size_t number) const noexcept { return memory_->by().kernels()[number]; }

private:
  std::unique_ptr<device_memory> memory_;
};

// Returns the kernels of all GPUs. The records of every driver are in one order.
std::shared_ptr<const kernel_set> shared_kernels(std::span<const kernel_record> records);

// Creates a device that uses a driver.
result<std::unique_ptr<device>> make_device(std::string_view name, std::unique_ptr<driver> by,
                                            const memory_options& options = {});

}
}
}  // namespace flowgraph::cuda
