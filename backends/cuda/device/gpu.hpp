#pragma once
// A GPU as a device of sessions.

#include <cuda/device/memory.hpp>
#include <cuda/device/product_library.hpp>

#include <flowgraph/core/message.hpp>
#include <flowgraph/op/device.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

class gpu final : public device {
public:
  gpu(std::string_view name, std::shared_ptr<const kernel_set> kernels, std::unique_ptr<device_memory> memory,
      std::unique_ptr<product_library> products)
      : device(name, std::move(kernels), memory.get()), memory_(std::move(memory)), products_(std::move(products)) {
    memory_->set_owner(*this);
    if (memory_->limit() > 0) set_budget(memory_->make_budget(message{"the limit of ", to_string(this->name())}));
  }

  ~gpu() override {
    if (products_) static_cast<void>(memory_->finish());  // the library ends after its work
  }

  device_memory& own_memory() const noexcept { return *memory_; }
  // Returns the library that computes products of matrices, or null.
  product_library* products() const noexcept { return products_.get(); }
  // Returns the record of a kernel, by its number in the list.
  const kernel_record& kernel(std::size_t number) const noexcept { return memory_->by().kernels()[number]; }

private:
  std::unique_ptr<device_memory> memory_;
  std::unique_ptr<product_library> products_;
};

// Returns the kernels of all GPUs. The records of every driver are in one order.
std::shared_ptr<const kernel_set> shared_kernels(std::span<const kernel_record> records);

// Creates a device that uses a driver. With `libraries`, cuBLASLt computes products of matrices.
result<std::unique_ptr<device>> make_device(std::string_view name, std::unique_ptr<driver> by, const memory_options& options = {},
                                            bool libraries = false);

}
}
}  // namespace flowgraph::cuda
