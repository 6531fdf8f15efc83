#pragma once
// Where frames, and what tasks note of a step, have their memory: blocks that go come back for the next ones, so that a step like those before
// takes nothing from the heap.

#include <flowgraph/fwd.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// What is given back is kept for the next of its size: small blocks by each thread and then by all together, 1 MB of a size; from 2 KB on 256 MB
// together; beyond that it goes to the heap. Any thread may give back what another has taken.
void* take_block(std::size_t bytes);
void give_back_block(void* block, std::size_t bytes) noexcept;

}  // namespace detail

// For elements whose alignment every block of the heap has.
template <class T> struct recycled_allocator {
  using value_type = T;
  recycled_allocator() noexcept = default;
  template <class U> recycled_allocator(const recycled_allocator<U>&) noexcept {}

  // Room for so many.
  T* allocate(std::size_t count) { return static_cast<T*>(detail::take_block(count * sizeof(T))); }
  // As many as it was asked for.
  void deallocate(T* elements, std::size_t count) noexcept { detail::give_back_block(elements, count * sizeof(T)); }
  bool operator==(const recycled_allocator&) const noexcept { return true; }
};

template <class T> using recycled_list = std::vector<T, recycled_allocator<T>>;
template <class Key, class T> using recycled_map = std::map<Key, T, std::less<Key>, recycled_allocator<std::pair<const Key, T>>>;
using recycled_tensors = recycled_list<any_tensor>;
using recycled_text = std::basic_string<char, std::char_traits<char>, recycled_allocator<char>>;

}
}  // namespace flowgraph
