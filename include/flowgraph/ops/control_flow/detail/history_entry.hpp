#pragma once
// The entries of a history.

#include <flowgraph/core/memory.hpp>
#include <flowgraph/core/tensor.hpp>

#include <memory>
#include <memory_resource>
#include <new>
#include <span>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The values of one iteration, and the history before it. An entry is one block of the run's memory, with the values at its end.
struct alignas(any_tensor) history_entry final : resource_base {
  // Returns null if there is no memory. The caller sets the values.
  static history_entry* make(resource earlier, std::size_t size, std::pmr::memory_resource* memory) {
    void* const block = allocate_or_null(memory, bytes_of(size), alignof(history_entry));
    return block ? new (block) history_entry(std::move(earlier), size, memory) : nullptr;
  }
  std::span<any_tensor> values() noexcept { return {reinterpret_cast<any_tensor*>(this + 1), size_}; }
  std::span<const any_tensor> values() const noexcept { return {reinterpret_cast<const any_tensor*>(this + 1), size_}; }

  static void operator delete(history_entry* entry, std::destroying_delete_t) {
    std::pmr::memory_resource* const memory = entry->memory_;
    const std::size_t bytes = bytes_of(entry->size_);
    entry->~history_entry();
    memory->deallocate(entry, bytes, alignof(history_entry));
  }

  resource before;

private:
  history_entry(resource earlier, std::size_t size, std::pmr::memory_resource* memory)
      : resource_base(kind_of<history_entry>()), before(std::move(earlier)), memory_(memory), size_(size) {
    std::uninitialized_default_construct_n(values().data(), size);
  }
  // Destroys entry by entry: if each entry destroyed the previous one, a history of millions would overflow the stack.
  ~history_entry() override {
    std::destroy_n(values().data(), size_);
    resource rest = std::move(before);
    for (history_entry* e = rest.as<history_entry>(); e && e->is_unique(); e = rest.as<history_entry>()) {
      resource earlier = std::move(e->before);
      rest = std::move(earlier);
    }
  }
  static std::size_t bytes_of(std::size_t size) { return sizeof(history_entry) + size * sizeof(any_tensor); }

  std::pmr::memory_resource* memory_;
  std::size_t size_;
};

}  // namespace flowgraph::detail
