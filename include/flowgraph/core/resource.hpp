#pragma once
// Resources: reference-counted state that outlives a run, and the handles with which tensors of type `resource` refer to it.
// Variants: tensor elements that contain a reference-counted object of any class.

#include <flowgraph/fwd.hpp>

#include <atomic>
#include <memory_resource>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI {

class savable;
class savable_file;

// The base class of variables, queues, readers and tables. The container of a resource and each handle to the resource hold a
// reference to it.
class resource_base {
public:
  resource_base(const resource_base&) = delete;
  resource_base& operator=(const resource_base&) = delete;
  virtual ~resource_base() = default;

  // Returns the address that identifies the concrete class without RTTI. It is equal to the result of kind_of<Concrete>().
  const void* kind() const noexcept { return kind_; }

  // Adds a reference.
  void acquire() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  // Ends the runs that wait for other runs to use the resource. A container calls this function when it has removed the resource,
  // which can then no longer be found by name.
  virtual void dropped() {}
  // Resets the resource if it can be used again, and returns true if the next run of the same prepared step uses it. Called when
  // the run that the resource belonged to has ended.
  virtual bool renew() { return false; }
  // Returns the object that saves and loads the contents (op/saved_state.hpp). Returns null if the contents are saved in a
  // different way, as those of variables are, or are not saved.
  virtual savable* as_savable() noexcept { return nullptr; }
  // Returns the object that writes and reads the contents as a file, or null. For contents that are too large for a string.
  virtual savable_file* as_savable_file() noexcept { return nullptr; }
  // For objects in variants: sets `made` to a copy of the object whose tensors are in the given memory, which is the memory of the
  // device that receives the variant. If the object contains no tensors, leaves `made` empty; the object itself is then passed. If
  // there is not enough memory, returns false.
  virtual bool copy_tensors(std::pmr::memory_resource*, resource& /*object*/) const { return true; }
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

// Returns an address that identifies the class Concrete: each class has a different address.
template <class Concrete> const void* kind_of() noexcept {
  static const char tag = 0;
  return &tag;
}

// A handle that holds one reference to a resource. As an element of a tensor, it corresponds to TensorFlow's resource handle.
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
  // Returns the resource as an object of class Concrete, or null if it has another class or the handle is empty.
  template <class Concrete> Concrete* as() const noexcept {
    return base && base->kind() == kind_of<Concrete>() ? static_cast<Concrete*>(base) : nullptr;
  }
  resource_base* base = nullptr;  // the resource; null: empty handle
};

// An element that contains an object, for example a lock. Only the ops that create and use the object know its class.
struct variant : resource {
  using resource::resource;
};
static_assert(sizeof(variant) == sizeof(resource));

}  // namespace flowgraph
