#pragma once
// A variable at run time: a slot with one reference-counted tensor. docs/decisions/variables.md defines which code may write to
// it, and when.

#include <flowgraph/core/resource.hpp>
#include <flowgraph/core/tensor.hpp>

#include <atomic>

#ifndef FLOWGRAPH_ATOMICS_SLEEP
#include <flowgraph/core/threads.hpp>
#endif

namespace flowgraph::inline FLOWGRAPH_ABI {

class variable_set_state;

namespace detail {
#ifdef FLOWGRAPH_ATOMICS_SLEEP

// The lock of a variable. Without contention, lock and unlock are one atomic operation each; with contention, the thread sleeps.
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

// A variable at run time. A reader takes a reference to the tensor and can then read without a lock for any time. A writer holds
// the lock: it changes the elements in place if it is their only owner, and otherwise replaces the tensor. So no reader sees a
// half-written value.
class variable_state final : public resource_base {
public:
  variable_state(dtype type, const flowgraph::shape& shape, std::pmr::memory_resource* memory)
      : resource_base(kind_of<variable_state>()), type_(type), shape_(shape), memory_(memory) {}

  dtype type() const noexcept { return type_; }
  const flowgraph::shape& shape() const noexcept { return shape_; }
  std::pmr::memory_resource* memory() const noexcept { return memory_; }

  // Returns a reference to the current value, or an empty tensor if the variable is not initialized. Waits only while a write is
  // in progress.
  any_tensor read() {
    lock();
    const bool is_here = !set();
    any_tensor value = value_;
    unlock();
    return is_here ? value : latest();
  }

  // Returns the set that the variable belongs to, or null. A variable never leaves its set, and only the set writes to it: its
  // value is in the versions of the set (op/variable_set.hpp).
  variable_set_state* set() const noexcept { return member_of_.load(std::memory_order_acquire); }
  // Returns the index of the variable in its set.
  std::uint32_t place_in_set() const noexcept { return place_; }
  // Makes the variable a member of a set. Precondition: the caller holds the lock and has taken the value.
  void join(resource set_counted, variable_set_state* set, std::uint32_t place) noexcept {
    counts_ = std::move(set_counted);
    place_ = place;
    member_of_.store(set, std::memory_order_release);
  }
  any_tensor latest() const;

  // Locks the variable. A caller that needs several variables must lock them in the order of their addresses.
  void lock() noexcept { lock_.lock(); }
  void unlock() noexcept { lock_.unlock(); }

  // Returns the value. Precondition of this function and of own(): the caller holds the lock.
  any_tensor& value() noexcept { return value_; }
  // Returns a tensor that only the writer can access. If `keep` is true, it has the current elements.
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
  resource counts_;  // reference to the set
};

}  // namespace flowgraph
