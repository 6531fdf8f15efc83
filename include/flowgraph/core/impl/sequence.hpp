#pragma once

#include <flowgraph/core/sequence.hpp>

#include <algorithm>
#include <cstring>
#include <new>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_NOT_INLINED void sequence_storage::grow(std::size_t capacity, std::size_t bytes_each, std::size_t alignment,
                                                  relocation move) {
  capacity = std::max(capacity, 2 * capacity_);
  const std::size_t bytes = capacity * bytes_each;
  void* const result =
      alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__ ? ::operator new(bytes, std::align_val_t(alignment)) : ::operator new(bytes);
  if (first_) {
    if (move) move(result, first_, size_);
    else std::memcpy(result, first_, size_ * bytes_each);
    give_back(alignment);
  }
  first_ = result;
  capacity_ = capacity;
}

FLOWGRAPH_INLINE void sequence_storage::give_back(std::size_t alignment) noexcept {
  if (alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__) ::operator delete(first_, std::align_val_t(alignment));
  else ::operator delete(first_);
}

FLOWGRAPH_INLINE void sequence_storage::append_bytes(const void* from, std::size_t count, std::size_t bytes_each) noexcept {
  if (count == 0) return;
  std::memcpy(static_cast<std::byte*>(first_) + size_ * bytes_each, from, count * bytes_each);
  size_ += count;
}

FLOWGRAPH_INLINE void sequence_storage::make_room(std::size_t in_front, std::size_t bytes_each) noexcept {
  std::byte* const at = static_cast<std::byte*>(first_) + in_front * bytes_each;
  std::memmove(at + bytes_each, at, (size_ - in_front) * bytes_each);
  ++size_;
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
