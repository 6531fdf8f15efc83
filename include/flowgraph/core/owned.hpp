#pragma once
// The sole owner of an object whose type is complete only in the owner's function bodies. (A std::unique_ptr in a header adds many
// milliseconds of compile time to each file that includes the header.)

#include <flowgraph/config.hpp>

#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A pointer that owns its object. A class with such a member defines its destructor and move operations where T is complete.
template <class T> class owned {
public:
  explicit owned(T* object = nullptr) noexcept : object_(object) {}
  owned(owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  owned& operator=(owned&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~owned() { delete object_; }

  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

private:
  T* object_;
};

}  // namespace flowgraph
