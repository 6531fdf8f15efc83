#pragma once
// Reference-counted memory under tensors: aligned, from any memory resource, or borrowed from the caller.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/far_memory.hpp>
#include <flowgraph/core/function.hpp>
#include <flowgraph/core/type.hpp>

#include <atomic>
#include <memory_resource>
#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Lives as long as somebody counts it. The memory resource must outlive every buffer made from it.
class buffer {
public:
  static constexpr std::size_t alignment = 64;

  // `elements` of `type`, strings constructed, other memory uninitialised. Fails with resource_exhausted, never throws.
  static result<buffer*> allocate(dtype type, std::size_t elements, std::pmr::memory_resource* from);

  // Memory of the caller: not copied; `release` runs when the last user is gone (on that user's thread).
  static buffer* borrow(void* data, std::size_t bytes, unique_function<void()> release);

  void acquire() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (count_.load(std::memory_order_acquire) == 1 || count_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }
  // Only the asking owner holds it: nobody else can start to.
  bool is_unique() const noexcept { return count_.load(std::memory_order_acquire) == 1; }
  bool is_borrowed() const noexcept { return origin_ == nullptr; }
  // Where its elements lie; null: with the caller that lent them.
  std::pmr::memory_resource* memory() const noexcept { return origin_; }

  // The host does not touch its elements.
  bool is_far() const noexcept { return is_far_; }

  void* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }

private:
  friend class any_tensor;

  buffer() = default;
  ~buffer() = default;
  void destroy() noexcept;

  // As allocate(), without a reason: null when there is no memory. A part of its caller, since every value of a run takes memory by it.
  static buffer* allocate_or_null(dtype type, std::size_t elements, std::pmr::memory_resource* from) noexcept;
  static buffer* allocate_far(dtype type, std::size_t bytes, far_memory& from) noexcept;

  // The header stands in front of the elements in one allocation, wherever that begins; that of far memory is on the heap.
  static constexpr std::size_t overhead(std::size_t bytes) noexcept { return bytes + sizeof(buffer) + alignment - 1; }

  std::atomic<std::uint32_t> count_{1};
  dtype type_ = dtype::invalid;
  bool is_far_ = false;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::pmr::memory_resource* origin_ = nullptr;
  unique_function<void()>* on_release_ = nullptr;
};

// Owns one count of a buffer.
class buffer_ref {
public:
  buffer_ref() noexcept = default;
  explicit buffer_ref(buffer* counted) noexcept : buffer_(counted) {}  // takes over the count
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

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/core/impl/buffer.hpp>
#endif
