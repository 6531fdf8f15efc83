#include "receive_memory.hpp"

#include <flowgraph/core/memory.hpp>

#include <bit>
#include <cstddef>
#include <map>
#include <mutex>
#include <new>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace tcp {

namespace {

class kept_blocks final : public std::pmr::memory_resource {
  // Smaller ones the heap keeps by itself.
  static constexpr std::size_t least = std::size_t{1} << 18;
  static constexpr std::size_t most_kept = std::size_t{256} << 20;

  // Eight sizes between a power of two and the next.
  static std::size_t size_for(std::size_t bytes) noexcept {
    const std::size_t step = std::bit_floor(bytes) / 8;
    return (bytes + step - 1) / step * step;
  }
  static bool is_kept(std::size_t bytes, std::size_t alignment) noexcept {
    return bytes >= least && bytes <= most_kept && alignment <= alignof(std::max_align_t);
  }
  // std::pmr::new_delete_resource() asks for the alignment even where every block has it, which takes twice the time for a small one.
  static void* fresh(std::size_t bytes, std::size_t alignment) {
    return alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__ ? ::operator new(bytes)
                                                         : ::operator new(bytes, std::align_val_t(alignment));
  }
  static void drop(void* block, std::size_t alignment) noexcept {
    if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) ::operator delete(block);
    else ::operator delete(block, std::align_val_t(alignment));
  }

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (!is_kept(bytes, alignment)) return fresh(bytes, alignment);
    const std::size_t size = size_for(bytes);
    {
      const std::lock_guard lock(mutex_);
      auto found = blocks_.find(size);
      if (found != blocks_.end() && !found->second.empty()) {
        void* block = found->second.back();
        found->second.pop_back();
        kept_ -= size;
        return block;
      }
    }
    return fresh(size, alignof(std::max_align_t));
  }
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
    if (!is_kept(bytes, alignment)) return drop(block, alignment);
    const std::size_t size = size_for(bytes);
    {
      const std::lock_guard lock(mutex_);
      if (kept_ + size <= most_kept) {
        blocks_[size].push_back(block);
        kept_ += size;
        return;
      }
    }
    drop(block, alignof(std::max_align_t));
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> blocks_;  // by size
  std::size_t kept_ = 0;
};

}  // namespace

std::pmr::memory_resource* receive_memory() {
  static auto* const blocks = new kept_blocks;  // tensors may be the last to go
  return blocks;
}

}
}
}  // namespace flowgraph::tcp
