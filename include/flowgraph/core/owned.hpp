#pragma once
// The one owner of an object whose type only the owner's bodies know. (std::unique_ptr costs each file that includes a header
// with one many milliseconds.)

#include <flowgraph/config.hpp>

#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Whoever holds one defines its destructor and moves where T is complete.
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

}
}  // namespace flowgraph
