#pragma once
// A list in a run's memory, and so within the session's limit, because its length may come from a file.

#include <flowgraph/core/memory.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

template <class T> class limited_list {
public:
  explicit limited_list(std::pmr::memory_resource* memory) noexcept : memory_(memory) {}
  limited_list(const limited_list&) = delete;
  limited_list& operator=(const limited_list&) = delete;
  ~limited_list() { clear(); }

  std::pmr::memory_resource* memory() const noexcept { return memory_; }
  std::size_t size() const noexcept { return size_; }
  T& operator[](std::size_t i) noexcept { return first_[i]; }
  const T& operator[](std::size_t i) const noexcept { return first_[i]; }
  T* begin() noexcept { return first_; }
  T* end() noexcept { return first_ + size_; }
  const T* begin() const noexcept { return first_; }
  const T* end() const noexcept { return first_ + size_; }

  // Adds elements up to `size`. Returns false, and leaves the list unchanged, if there is no memory.
  bool grow(std::size_t size) {
    if (size > capacity_ && !move_to(std::max(size, 2 * capacity_)) && !move_to(size)) return false;
    for (; size_ < size; ++size_) ::new (static_cast<void*>(first_ + size_)) T();
    return true;
  }
  // Keeps the first `size` elements. Precondition: the list has them.
  void shrink(std::size_t size) noexcept {
    for (; size_ > size; --size_) std::destroy_at(first_ + size_ - 1);
  }
  void swap(limited_list& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(first_, other.first_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  void clear() noexcept {
    std::destroy_n(first_, size_);
    if (first_) memory_->deallocate(first_, capacity_ * sizeof(T), alignof(T));
    first_ = nullptr;
    size_ = capacity_ = 0;
  }

private:
  bool move_to(std::size_t capacity) {
    if (capacity <= capacity_ || capacity > static_cast<std::size_t>(-1) / 2 / sizeof(T)) return false;
    void* const memory = allocate_or_null(memory_, capacity * sizeof(T), alignof(T));
    if (!memory) return false;
    T* const fresh = static_cast<T*>(memory);
    std::uninitialized_move_n(first_, size_, fresh);
    const std::size_t size = size_;
    clear();
    first_ = fresh;
    size_ = size;
    capacity_ = capacity;
    return true;
  }

  std::pmr::memory_resource* memory_;
  T* first_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
