#include "tensor_memory.hpp"

#include <flowgraph/distributed/recycled.hpp>

#include <new>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

namespace {

class recycled_memory final : public std::pmr::memory_resource {
  static bool is_usual(std::size_t alignment) noexcept { return alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__; }

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return is_usual(alignment) ? flowgraph::detail::take_block(bytes) : ::operator new(bytes, std::align_val_t(alignment));
  }
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
    if (is_usual(alignment)) flowgraph::detail::give_back_block(block, bytes);
    else ::operator delete(block, std::align_val_t(alignment));
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

}  // namespace

std::pmr::memory_resource* tensor_memory() {
  static auto* const memory = new recycled_memory;  // never destroyed: tensors may be freed last
  return memory;
}

}  // namespace flowgraph::distributed
