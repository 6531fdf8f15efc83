#pragma once
// Allocation from memory resources for the engine. If there is not enough memory, the result is null, with exceptions on or off.

#include <flowgraph/config.hpp>

#include <cstddef>
#include <memory_resource>
#include <new>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A memory resource for the large tensors of another resource: large_blocks (core/large_blocks.hpp).
class large_memory : public std::pmr::memory_resource {
public:
  // Size of a tensor from which its block is worth a lock. Heaps request such blocks from the system, and give them back.
  static constexpr std::size_t smallest = std::size_t{64} << 10;

  // Returns the resource that the blocks come from.
  std::pmr::memory_resource* source() const noexcept { return source_; }

protected:
  explicit large_memory(std::pmr::memory_resource* source) noexcept : source_(source) {}

private:
  std::pmr::memory_resource* source_;
};

namespace detail {

// Allocates memory. If there is not enough memory, returns null, although memory resources throw in this case. Without exceptions,
// the function calls the heap directly, because the heap's resource could only abort; a user-defined memory resource then returns
// null. The heap's resource later frees the memory, so the function calls the same operator as this resource: libstdc++'s resource
// calls the operator for aligned memory for every alignment, and on Windows each operator must free only its own memory.
inline void* allocate_or_null(std::pmr::memory_resource* from, std::size_t bytes,
                              std::size_t alignment = alignof(std::max_align_t)) noexcept {
#ifdef FLOWGRAPH_EXCEPTIONS
  try {
    return from->allocate(bytes, alignment);
  } catch (...) { return nullptr; }
#else
  if (from != std::pmr::new_delete_resource()) return from->allocate(bytes, alignment);
#ifndef __GLIBCXX__
  if (alignment <= alignof(std::max_align_t)) return ::operator new(bytes, std::nothrow);
#endif
  return ::operator new(bytes, std::align_val_t(alignment), std::nothrow);
#endif
}

// Reports that one of the library's own memory resources has no memory left: throws std::bad_alloc, or returns null without
// exceptions.
FLOWGRAPH_COLD inline void* refuse_memory() {
#ifdef FLOWGRAPH_EXCEPTIONS
  throw std::bad_alloc();
#else
  return nullptr;
#endif
}

}  // namespace detail

}  // namespace flowgraph
