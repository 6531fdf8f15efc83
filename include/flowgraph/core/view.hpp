#pragma once
// The form in which kernels receive a tensor: a pointer, an element type and a shape. A view does not own the elements, and copying
// a view copies three words.

#include <flowgraph/core/shape.hpp>
#include <flowgraph/core/type.hpp>

#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <class T> struct view {
  using element_type = T;

  view() = default;
  // Defined explicitly, so that compilers pass a view by its address. Otherwise they would copy the three words to the stack in
  // units of a different size than those in which the words were written, and this would take more time than a small kernel.
  view(const view& other) noexcept : data_(other.data_), size_(other.size_), shape_(other.shape_) {}
  view& operator=(const view& other) noexcept = default;
  view(T* data, const flowgraph::shape& shape) : data_(data), size_(static_cast<std::size_t>(shape.size())), shape_(&shape) {}
  view(T* data, const flowgraph::shape&& shape) = delete;  // deleted: a view does not keep its shape alive
  view(T* data, std::size_t size, const flowgraph::shape& shape) : data_(data), size_(size), shape_(&shape) {}
  operator view<const T>() const
    requires(!std::is_const_v<T>) {
    return {data_, size_, *shape_};
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  const flowgraph::shape& shape() const { return *shape_; }
  int rank() const { return shape_->rank; }
  std::int64_t dim(int axis) const { return (*shape_)[axis]; }

  T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }
  std::span<T> span() const { return {data_, size_}; }
  T& scalar() const { return *data_; }

private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  const flowgraph::shape* shape_ = nullptr;
};

}  // namespace flowgraph
