#pragma once
// Resources: reference-counted state that outlives a run, and the handle by which tensors of type `resource` refer to it.
// Variants: elements that contain a reference-counted object of any class.

#include <flowgraph/fwd.hpp>

#include <atomic>
#include <memory_resource>
#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

class savable;

// Base class of variables, queues, readers and tables. A container and all handles count references to it.
class resource_base {
public:
  resource_base(const resource_base&) = delete;
  resource_base& operator=(const resource_base&) = delete;
  virtual ~resource_base() = default;

  // Identifies the concrete class without RTTI: returns the address that kind_of<Concrete>() returns.
  const void* kind() const noexcept { return kind_; }

  // Adds a reference.
  void acquire() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  // Called when a container has removed the resource, so that it cannot be found by name any more. Ends runs that wait for others
  // to use it.
  virtual void dropped() {}
  // Called when the run that the resource belonged to has ended. Returns true if the resource is reset, and serves the next run
  // of the same prepared step.
  virtual bool renew() { return false; }
  // Returns the object that saves and loads the contents (op/saved_state.hpp). Null: the contents are saved in a different way,
  // like those of variables, or are not saved.
  virtual savable* as_savable() noexcept { return nullptr; }
  // For objects in variants: copies the object with its tensors in `memory`, the memory of the device that receives the variant.
  // Leaves `made` empty if the object contains no tensors; then the object itself is passed. Returns false if there is not enough
  // memory.
  virtual bool copy_tensors(std::pmr::memory_resource*, resource& /*made*/) const { return true; }
  // Returns whether the caller holds the only reference.
  bool is_unique() const noexcept { return count_.load(std::memory_order_acquire) == 1; }
  // Removes a reference, and deletes the resource if that was the last reference.
  void release() noexcept {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

protected:
  explicit resource_base(const void* kind) noexcept : kind_(kind) {}

private:
  const void* kind_;
  std::atomic<std::uint32_t> count_{0};
};

// Returns an address that identifies the class: it differs for each Concrete.
template <class Concrete> const void* kind_of() noexcept {
  static const char tag = 0;
  return &tag;
}

// Holds one reference to a resource. As an element of a tensor, it corresponds to TensorFlow's resource handle.
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
  // Returns the concrete resource, or null if it is of another class.
  template <class Concrete> Concrete* as() const noexcept {
    return base && base->kind() == kind_of<Concrete>() ? static_cast<Concrete*>(base) : nullptr;
  }
  resource_base* base = nullptr;  // the resource; null: empty handle
};

// An element that contains an object, for example a lock. Only the ops that create and use it know its class.
struct variant : resource {
  using resource::resource;
};
static_assert(sizeof(variant) == sizeof(resource));

}
}  // namespace flowgraph
