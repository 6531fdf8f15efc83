#pragma once
// How the library asks a memory resource: without memory the answer is null, whether exceptions are compiled in or not.

#include <flowgraph/config.hpp>

#include <cstddef>
#include <memory_resource>
#include <new>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace detail {

// A memory resource says "no" by throwing; inside the engine that becomes a null pointer. Without exceptions the heap is asked
// itself, since its resource could only abort; a resource of the user's returns null. The resource gives the memory back: that of libstdc++
// by the operator for aligned memory, whatever the alignment, and on Windows each operator takes back only memory of its own.
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

// How the library's own memory resources report that memory has run out: the reverse of the above.
FLOWGRAPH_COLD inline void* refuse_memory() {
#ifdef FLOWGRAPH_EXCEPTIONS
  throw std::bad_alloc();
#else
  return nullptr;
#endif
}

}
}
}  // namespace flowgraph::detail
