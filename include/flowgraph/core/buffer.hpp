#pragma once
// Reference-counted memory of tensors. It is aligned and comes from any memory resource, or it is borrowed from the caller.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/far_memory.hpp>
#include <flowgraph/core/function.hpp>
#include <flowgraph/core/type.hpp>

#include <atomic>
#include <memory_resource>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI {

class large_memory;

// The memory of one or more tensors. It exists as long as there are references to it. A memory resource must outlive every buffer
// that it allocated.
class buffer {
public:
  static constexpr std::size_t alignment = 64;

  // Allocates `elements` elements of `type`. Strings are constructed; plain elements are uninitialised. If there is not enough
  // memory, returns the error resource_exhausted. Never throws.
  static result<buffer*> allocate(dtype type, std::size_t elements, std::pmr::memory_resource* from);

  // Returns a buffer that refers to the caller's memory, which is not copied. `release` runs when the last reference is removed, on
  // the thread that removes it.
  static buffer* borrow(void* data, std::size_t bytes, unique_function<void()> release);

  void acquire() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (count_.load(std::memory_order_acquire) == 1 || count_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }
  // Returns whether the calling owner holds the only reference. If so, no other thread can acquire a reference.
  bool is_unique() const noexcept { return count_.load(std::memory_order_acquire) == 1; }
  bool is_borrowed() const noexcept { return origin_ == nullptr; }
  // Returns the memory resource of the elements, or null if the elements are borrowed.
  std::pmr::memory_resource* memory() const noexcept { return origin_; }

  // Returns whether the host cannot access the elements.
  bool is_far() const noexcept { return is_far_; }

  void* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }

private:
  friend class any_tensor;
  friend class large_blocks;

  buffer() = default;
  ~buffer() = default;
  void destroy() noexcept;

  // Like allocate(), but returns null if there is not enough memory. It is inlined into its caller, since every value of a run is
  // allocated with it. If `from` is the source of `kept`, a large buffer is one of its blocks.
  static buffer* allocate_or_null(dtype type, std::size_t elements, std::pmr::memory_resource* from,
                                  large_memory* kept = nullptr) noexcept;
  static buffer* allocate_far(dtype type, std::size_t bytes, far_memory& from) noexcept;
  // Requests large pages for memory of the heap. The heap gives large buffers back to the system, and gets them with new pages.
  static constexpr std::size_t large_page = std::size_t{2} << 20;
  static void request_large_pages(void* memory, std::size_t bytes) noexcept;

  // The header precedes the elements in the same allocation, at any address. The header of far memory is on the heap.
  static constexpr std::size_t overhead(std::size_t bytes) noexcept { return bytes + sizeof(buffer) + alignment - 1; }

  std::atomic<std::uint32_t> count_{1};
  dtype type_ = dtype::invalid;
  bool is_far_ = false;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::pmr::memory_resource* origin_ = nullptr;
  unique_function<void()>* on_release_ = nullptr;
};

// A handle that holds one reference to a buffer.
class buffer_ref {
public:
  buffer_ref() noexcept = default;
  explicit buffer_ref(buffer* counted) noexcept : buffer_(counted) {}  // takes over the reference
  buffer_ref(const buffer_ref& other) noexcept : buffer_(other.buffer_) {
    if (buffer_) buffer_->acquire();
  }
  buffer_ref(buffer_ref&& other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
  buffer_ref& operator=(const buffer_ref& other) noexcept { return *this = buffer_ref(other); }
  buffer_ref& operator=(buffer_ref&& other) noexcept {
    buffer* held = std::exchange(buffer_, std::exchange(other.buffer_, nullptr));
    if (held) held->release();
    return *this;
  }
  ~buffer_ref() {
    if (buffer_) buffer_->release();
  }

  void reset() noexcept {
    if (buffer* b = std::exchange(buffer_, nullptr)) b->release();
  }
  buffer* operator->() const noexcept { return buffer_; }
  buffer* get() const noexcept { return buffer_; }
  explicit operator bool() const noexcept { return buffer_ != nullptr; }

private:
  buffer* buffer_ = nullptr;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/core/impl/buffer.hpp>
#endif
