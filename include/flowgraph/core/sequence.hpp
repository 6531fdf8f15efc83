#pragma once
// A contiguous container for the engine's structures, with the interface of std::vector.
//
// It replaces std::vector because the growth of a vector is compiled again for each element type: in a header-only program, a third
// of all functions belonged to vectors. Here one function grows the memory of all sequences, and an element type adds at most the
// code that moves and copies its elements.

#include <flowgraph/config.hpp>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The bytes of elements, without their type.
class sequence_storage {
protected:
  // Moves `count` elements to uninitialized memory and destroys the old ones.
  using relocation = void (*)(void* to, void* from, std::size_t count);

  // Grows the memory to at least twice the size if one more element is needed. `move` is null if elements can be moved as bytes.
  void grow(std::size_t capacity, std::size_t bytes_each, std::size_t alignment, relocation move);
  void give_back(std::size_t alignment) noexcept;
  // Appends bytes. Precondition: the capacity is sufficient.
  void append_bytes(const void* from, std::size_t count, std::size_t bytes_each) noexcept;
  // Moves all elements after the first `in_front` elements, to make room for one element before them. Precondition: the capacity is
  // sufficient.
  void make_room(std::size_t in_front, std::size_t bytes_each) noexcept;
  void steal(sequence_storage& other) noexcept {
    first_ = std::exchange(other.first_, nullptr);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
  }

  void* first_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

template <class T> class sequence;

// Whether an element can be moved by copying its bytes: no pointer refers to its memory, not even a pointer inside the element.
// This holds for the smart pointers of all standard libraries, although the standard does not require it. Other types specialize
// this constant next to their definition.
template <class T> inline constexpr bool moves_as_bytes = std::is_trivially_copyable_v<T>;
template <class T> inline constexpr bool moves_as_bytes<sequence<T>> = true;
template <class T> inline constexpr bool moves_as_bytes<std::unique_ptr<T>> = true;
template <class T> inline constexpr bool moves_as_bytes<std::shared_ptr<T>> = true;
template <class T> inline constexpr bool moves_as_bytes<std::weak_ptr<T>> = true;

// A container with the part of std::vector's interface that the engine uses. Moving an element must not throw. T may be
// incomplete where a sequence of T is a member.
template <class T> class sequence : sequence_storage {
public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;

  sequence() noexcept = default;
  // Delegates to the default constructor, so that existing elements are destroyed if constructing the next one throws.
  explicit sequence(std::size_t count) : sequence() { resize(count); }
  sequence(std::size_t count, const T& value) : sequence() { resize(count, value); }
  sequence(std::initializer_list<T> of) : sequence(of.begin(), of.end()) {}
  template <std::forward_iterator I> sequence(I first, I last) : sequence() { append(first, last); }
  sequence(const std::vector<T>& of) : sequence(of.begin(), of.end()) {}  // converts vectors of user code
  sequence(const sequence& other) : sequence(other.begin(), other.end()) {}
  sequence(sequence&& other) noexcept { steal(other); }
  sequence& operator=(const sequence& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  sequence& operator=(sequence&& other) noexcept {
    if (this != &other) {
      release();
      steal(other);
    }
    return *this;
  }
  ~sequence() { release(); }

  T* data() noexcept { return static_cast<T*>(first_); }
  const T* data() const noexcept { return static_cast<const T*>(first_); }
  T* begin() noexcept { return data(); }
  const T* begin() const noexcept { return data(); }
  T* end() noexcept { return data() + size_; }
  const T* end() const noexcept { return data() + size_; }
  auto rbegin() noexcept { return std::reverse_iterator(end()); }
  auto rbegin() const noexcept { return std::reverse_iterator(end()); }
  auto rend() noexcept { return std::reverse_iterator(begin()); }
  auto rend() const noexcept { return std::reverse_iterator(begin()); }
  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return capacity_; }
  bool empty() const noexcept { return size_ == 0; }
  T& operator[](std::size_t i) noexcept { return data()[i]; }
  const T& operator[](std::size_t i) const noexcept { return data()[i]; }
  T& front() noexcept { return data()[0]; }
  const T& front() const noexcept { return data()[0]; }
  T& back() noexcept { return data()[size_ - 1]; }
  const T& back() const noexcept { return data()[size_ - 1]; }

  void reserve(std::size_t capacity) {
    if (capacity > capacity_) grow_to(capacity);
  }
  void push_back(const T& value) { emplace_back(value); }
  void push_back(T&& value) { emplace_back(std::move(value)); }
  template <class... Args> T& emplace_back(Args&&... args) {
    T* result;
    if (size_ < capacity_) {
      result = construct(end(), std::forward<Args>(args)...);
    } else {
      T value = make(std::forward<Args>(args)...);  // constructed before the others move, since arguments may refer to elements
      grow_to(size_ + 1);
      result = construct(end(), std::move(value));
    }
    ++size_;
    return *result;
  }
  void pop_back() noexcept { std::destroy_at(data() + --size_); }
  void resize(std::size_t count) {
    if (count < size_) shrink(count);
    reserve(count);
    for (; size_ < count; ++size_) ::new (static_cast<void*>(end())) T();
  }
  void resize(std::size_t count, const T& value) {
    if (count < size_) return shrink(count);
    const T copy = value;
    reserve(count);
    for (; size_ < count; ++size_) construct(end(), copy);
  }
  void clear() noexcept { shrink(0); }
  void assign(std::size_t count, const T& value) {
    const T copy = value;
    clear();
    resize(count, copy);
  }
  // Precondition: the range is not part of this sequence.
  template <std::forward_iterator I> void assign(I first, I last) {
    clear();
    append(first, last);
  }
  template <std::forward_iterator I> void append(I first, I last) {
    const auto count = static_cast<std::size_t>(std::distance(first, last));
    reserve(size_ + count);
    if constexpr (std::is_trivially_copyable_v<T> && (std::is_same_v<I, T*> || std::is_same_v<I, const T*>)) {
      append_bytes(first, count, sizeof(T));
    } else {
      for (; first != last; ++first, ++size_) construct(end(), *first);
    }
  }
  T* insert(const T* before, T value) {
    const std::ptrdiff_t at = before - data();
    if constexpr (moves_as_bytes<T>) {
      if (size_ == capacity_) grow_to(size_ + 1);
      make_room(static_cast<std::size_t>(at), sizeof(T));
      construct(data() + at, std::move(value));
    } else {
      push_back(std::move(value));
      std::rotate(data() + at, end() - 1, end());
    }
    return data() + at;
  }
  T* insert(const T* before, std::size_t count, const T& value) {
    const std::ptrdiff_t at = before - data();
    const std::size_t old = size_;
    resize(old + count, value);
    std::rotate(data() + at, data() + old, end());
    return data() + at;
  }
  template <std::forward_iterator I> T* insert(const T* before, I first, I last) {
    const std::ptrdiff_t at = before - data();
    const std::size_t old = size_;
    append(first, last);
    if (static_cast<std::size_t>(at) < old) std::rotate(data() + at, data() + old, end());
    return data() + at;
  }
  T* erase(const T* at) noexcept { return erase(at, at + 1); }
  T* erase(const T* first, const T* last) noexcept {
    T* const to = data() + (first - data());
    T* const from = data() + (last - data());
    if (from != to) shrink(static_cast<std::size_t>(std::move(from, end(), to) - data()));
    return to;
  }
  void swap(sequence& other) noexcept { std::swap(*this, other); }

  friend bool operator==(const sequence& a, const sequence& b) {
    return a.size_ == b.size_ && std::equal(a.begin(), a.end(), b.begin());
  }
  template <class Test> friend std::size_t erase_if(sequence& of, Test test) {
    const std::size_t old = of.size_;
    of.erase(std::remove_if(of.begin(), of.end(), test), of.end());
    return old - of.size_;
  }

private:
  template <class... Args> static T make(Args&&... args) {
    if constexpr (std::is_constructible_v<T, Args...>) return T(std::forward<Args>(args)...);
    else return T{std::forward<Args>(args)...};
  }
  template <class... Args> static T* construct(T* at, Args&&... args) {
    if constexpr (std::is_constructible_v<T, Args...>) return ::new (static_cast<void*>(at)) T(std::forward<Args>(args)...);
    else return ::new (static_cast<void*>(at)) T{std::forward<Args>(args)...};
  }
  static void relocate(void* to, void* from, std::size_t count) {
    T* const target = static_cast<T*>(to);
    T* const source = static_cast<T*>(from);
    for (std::size_t i = 0; i < count; ++i) {
      ::new (static_cast<void*>(target + i)) T(std::move(source[i]));
      source[i].~T();
    }
  }
  void grow_to(std::size_t capacity) {
    if constexpr (moves_as_bytes<T>) grow(capacity, sizeof(T), alignof(T), nullptr);
    else grow(capacity, sizeof(T), alignof(T), &relocate);
  }
  void shrink(std::size_t count) noexcept {
    if constexpr (!std::is_trivially_destructible_v<T>) std::destroy(data() + count, end());
    size_ = count;
  }
  void release() noexcept {
    if constexpr (!std::is_trivially_destructible_v<T>) shrink(0);
    give_back(alignof(T));
  }
};

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/core/impl/sequence.hpp>
#endif
