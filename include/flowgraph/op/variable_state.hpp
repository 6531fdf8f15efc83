#pragma once
// A variable at run time: a slot that holds one counted tensor. docs/decisions/variables.md says which code may write to it, and when.

#include <flowgraph/core/resource.hpp>
#include <flowgraph/core/tensor.hpp>

#include <atomic>

#ifndef FLOWGRAPH_ATOMICS_SLEEP
#include <flowgraph/core/threads.hpp>
#endif

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

class variable_set_state;

namespace detail {
#ifdef FLOWGRAPH_ATOMICS_SLEEP

// Uncontended: one atomic operation to lock and to unlock. Contended: the thread sleeps.
class variable_lock {
public:
  void lock() noexcept {
    std::uint32_t free = 0;
    if (latch_.compare_exchange_strong(free, 1, std::memory_order_acquire)) return;
    while (latch_.exchange(2, std::memory_order_acquire) != 0) latch_.wait(2, std::memory_order_relaxed);
  }
  void unlock() noexcept {
    if (latch_.exchange(0, std::memory_order_release) == 2) latch_.notify_one();
  }

private:
  std::atomic<std::uint32_t> latch_{0};  // 0 free, 1 held, 2 held and a thread sleeps
};

#else

using variable_lock = threading::mutex;

#endif
}  // namespace detail

// A reader takes a count of the tensor and reads it unlocked for as long as it likes. A writer holds the lock: it changes the
// elements in place when it is their only owner and replaces the tensor otherwise, so no reader ever sees half a write.
class variable_state final : public resource_base {
public:
  variable_state(dtype type, const flowgraph::shape& shape, std::pmr::memory_resource* memory)
      : resource_base(kind_of<variable_state>()), type_(type), shape_(shape), memory_(memory) {}

  dtype type() const noexcept { return type_; }
  const flowgraph::shape& shape() const noexcept { return shape_; }
  std::pmr::memory_resource* memory() const noexcept { return memory_; }

  // A count of the current value; without a value while uninitialised. Waits only while a write is in progress.
  any_tensor read() {
    lock();
    const bool is_here = !set();
    any_tensor value = value_;
    unlock();
    return is_here ? value : latest();
  }

  // The set that it is swapped with, or null, and its place there. Once in a set it stays, and nobody writes to it by itself: its
  // value is among the set's versions. op/variable_set.hpp.
  variable_set_state* set() const noexcept { return member_of_.load(std::memory_order_acquire); }
  std::uint32_t place_in_set() const noexcept { return place_; }
  // Precondition: locked by the caller, who has taken the value.
  void join(resource set_counted, variable_set_state* set, std::uint32_t place) noexcept {
    counts_ = std::move(set_counted);
    place_ = place;
    member_of_.store(set, std::memory_order_release);
  }
  any_tensor latest() const;

  // Take several in the order of their addresses.
  void lock() noexcept { lock_.lock(); }
  void unlock() noexcept { lock_.unlock(); }

  // Precondition of both: locked by the caller.
  any_tensor& value() noexcept { return value_; }
  // Elements that only the writer can see, with the current values when `keep`.
  result<any_tensor*> own(bool keep) {
    if (value_.is_unique()) return &value_;
    auto fresh = keep ? value_.copy(memory_) : any_tensor::allocate(value_.type(), value_.shape(), memory_);
    if (!fresh) return fresh.error();
    value_ = *std::move(fresh);
    return &value_;
  }

private:
  detail::variable_lock lock_;
  dtype type_;
  flowgraph::shape shape_;
  std::pmr::memory_resource* memory_;
  any_tensor value_;
  std::atomic<variable_set_state*> member_of_{nullptr};
  std::uint32_t place_ = 0;
  resource counts_;  // the set
};

}
}  // namespace flowgraph
