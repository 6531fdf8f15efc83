#pragma once
// Memory for frames and for the records of a step. Freed blocks are reused, so that repeated steps allocate nothing from the
// heap.

#include <flowgraph/fwd.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Allocate and free blocks. Freed blocks are cached by size for later use. Blocks of up to 2 KB are cached per thread and
// then for all threads, up to 1 MB per size; larger blocks are cached up to 256 MB in total. Further blocks are returned to the
// heap. The thread that frees a block need not be the thread that allocated it.
void* take_block(std::size_t bytes);
void give_back_block(void* block, std::size_t bytes) noexcept;

}  // namespace detail

// An allocator for elements whose alignment is at most that of heap blocks.
template <class T> struct recycled_allocator {
  using value_type = T;
  recycled_allocator() noexcept = default;
  template <class U> recycled_allocator(const recycled_allocator<U>&) noexcept {}

  // Allocates memory for `count` elements.
  T* allocate(std::size_t count) { return static_cast<T*>(detail::take_block(count * sizeof(T))); }
  // Frees memory. `count` must be the same as in `allocate`.
  void deallocate(T* elements, std::size_t count) noexcept { detail::give_back_block(elements, count * sizeof(T)); }
  bool operator==(const recycled_allocator&) const noexcept { return true; }
};

template <class T> using recycled_list = std::vector<T, recycled_allocator<T>>;
template <class Key, class T> using recycled_map = std::map<Key, T, std::less<Key>, recycled_allocator<std::pair<const Key, T>>>;
using recycled_tensors = recycled_list<any_tensor>;
using recycled_text = std::basic_string<char, std::char_traits<char>, recycled_allocator<char>>;

}  // namespace flowgraph
