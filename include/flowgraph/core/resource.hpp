#pragma once
// Resources: state that outlives a run, counted, and the handle by which tensors of type `resource` name it. And variants, whose
// elements hold a counted object of any class.

#include <flowgraph/fwd.hpp>

#include <atomic>
#include <memory_resource>
#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

class savable;

// Base of variables, queues, readers, tables. Held by a container and by every handle.
class resource_base {
public:
  resource_base(const resource_base&) = delete;
  resource_base& operator=(const resource_base&) = delete;
  virtual ~resource_base() = default;

  // Tells the concrete class apart without RTTI: the address that kind_of<Concrete>() returns.
  const void* kind() const noexcept { return kind_; }

  void acquire() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  // A container has dropped it: nobody finds it by its name any more. What waits for others that would find it ends.
  virtual void dropped() {}
  // The run that it belonged to has ended. True: it is as new, and serves the next run of the same prepared step.
  virtual bool renew() { return false; }
  // Saves and loads its contents, op/saved_state.hpp. Null: what it holds is saved otherwise, as variables are, or not at all.
  virtual savable* as_savable() noexcept { return nullptr; }
  // For objects that variants hold: makes a copy whose tensors lie in `memory`, that of the device to which the variant crosses. Leaves `made`
  // empty where the object holds no tensors: then the object itself crosses. False: there is no memory for the tensors.
  virtual bool copy_tensors(std::pmr::memory_resource*, resource& /*made*/) const { return true; }
  // Whether the caller holds the only count.
  bool is_unique() const noexcept { return count_.load(std::memory_order_acquire) == 1; }
  void release() noexcept {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

protected:
  explicit resource_base(const void* kind) noexcept : kind_(kind) {}

private:
  const void* kind_;
  std::atomic<std::uint32_t> count_{0};
};

template <class Concrete> const void* kind_of() noexcept {
  static const char tag = 0;
  return &tag;
}

// Owns one count of a resource. As element of a tensor it is what TensorFlow calls a resource handle.
struct resource {
  resource() noexcept = default;
  explicit resource(resource_base* r) noexcept : base(r) {
    if (base) base->acquire();
  }
  resource(const resource& other) noexcept : resource(other.base) {}
  resource(resource&& other) noexcept : base(std::exchange(other.base, nullptr)) {}
  resource& operator=(resource other) noexcept {
    std::swap(base, other.base);
    return *this;
  }
  ~resource() {
    if (base) base->release();
  }
  // The concrete resource, or null when it is of another class.
  template <class Concrete> Concrete* as() const noexcept {
    return base && base->kind() == kind_of<Concrete>() ? static_cast<Concrete*>(base) : nullptr;
  }
  resource_base* base = nullptr;
};

// An element that is an object: a lock, say. What it is the ops know that make it and use it.
struct variant : resource {
  using resource::resource;
};
static_assert(sizeof(variant) == sizeof(resource));

}
}  // namespace flowgraph
