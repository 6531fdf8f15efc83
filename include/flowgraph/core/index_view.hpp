#pragma once
// Integers that a kernel only reads, such as indices, axes and shapes. The kernel reads each integer as a std::int64_t,
// independently of the type of the input, so that the kernel is compiled only once.
//
//     template <class T, class I> void operator()(cpu ctx, view<const T> x, index_view<I> rows, view<T> y) const;

#include <flowgraph/core/view.hpp>

#include <concepts>
#include <cstdint>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The type that represents I when such a kernel is compiled.
struct any_index {};

// A view of elements of type int16, int32 or int64. It does not own the elements.
class any_indices {
public:
  any_indices() = default;
  any_indices(const void* data, std::size_t size, const flowgraph::shape& shape, dtype type)
      : data_(data), size_(size), shape_(&shape), type_(type) {}
  template <class I>
    requires in_list<I, type_list<std::int16_t, std::int32_t, std::int64_t>>
  any_indices(view<const I> v) : any_indices(v.data(), v.size(), v.shape(), dtype_of<I>) {}

  const void* data() const { return data_; }
  dtype type() const { return type_; }
  std::size_t size() const { return size_; }
  const flowgraph::shape& shape() const { return *shape_; }
  int rank() const { return shape_->rank; }
  std::int64_t dim(int axis) const { return (*shape_)[axis]; }

  template <std::integral Place> std::int64_t operator[](Place i) const {
    if (type_ == dtype::int64) return static_cast<const std::int64_t*>(data_)[i];
    if (type_ == dtype::int32) return static_cast<const std::int32_t*>(data_)[i];
    return static_cast<const std::int16_t*>(data_)[i];
  }
  std::int64_t scalar() const { return (*this)[0]; }

  // Calls f with a pointer of the actual type, for loops that should not test the type for each element. Precondition: the type
  // is not int16.
  template <class F> decltype(auto) visit(F&& f) const {
    return type_ == dtype::int64 ? f(static_cast<const std::int64_t*>(data_)) : f(static_cast<const std::int32_t*>(data_));
  }

private:
  const void* data_ = nullptr;
  std::size_t size_ = 0;
  const flowgraph::shape* shape_ = nullptr;
  dtype type_ = dtype::int64;
};

// A kernel parameter for an input whose element type is the type attribute I.
template <class I> struct index_view : any_indices {
  using any_indices::any_indices;
};

}  // namespace flowgraph
