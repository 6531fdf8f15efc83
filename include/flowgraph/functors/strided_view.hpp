#pragma once
// A tensor for kernels of devices: a pointer, extents and strides in one struct, which a kernel receives by value. Unlike a view,
// it contains no pointer to memory of the host.
//
//     const strided_view<float> y(y_data, rank, extents);
//     const auto a = strided_view<const float>(a_data, rank, extents), b = scalar.broadcast_to(rank, extents);
//     y[i] = functor::add::packet(a[i], b[i]);  // for each i below y.size()

#include <flowgraph/config.hpp>

#include <cstdint>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <class T> struct strided_view {
  static constexpr int max_rank = 12;

  T* data = nullptr;
  int rank = 0;
  std::int64_t extents[max_rank] = {};
  std::int64_t strides[max_rank] = {};  // in elements; 0 for an axis along which the elements repeat

  strided_view() = default;
  // The elements are contiguous, and the last axis varies fastest. The rank is at most max_rank.
  FLOWGRAPH_FUNCTION strided_view(T* elements, int axes, const std::int64_t* extents_of_axes) : data(elements), rank(axes) {
    std::int64_t stride = 1;
    for (int axis = rank - 1; axis >= 0; --axis) {
      extents[axis] = extents_of_axes[axis];
      strides[axis] = stride;
      stride *= extents[axis];
    }
  }

  FLOWGRAPH_FUNCTION std::int64_t size() const {
    std::int64_t product = 1;
    for (int axis = 0; axis < rank; ++axis) product *= extents[axis];
    return product;
  }

  // Returns element i in row-major order of the extents.
  FLOWGRAPH_FUNCTION T& operator[](std::int64_t i) const {
    std::int64_t at = 0;
    for (int axis = rank - 1; axis >= 0; --axis) {
      at += i % extents[axis] * strides[axis];
      i /= extents[axis];
    }
    return data[at];
  }

  // Returns a view of these extents, to which this view must be broadcastable: its axes are the last ones, and an axis of extent
  // 1 repeats.
  FLOWGRAPH_FUNCTION strided_view broadcast_to(int axes, const std::int64_t* extents_of_axes) const {
    strided_view result;
    result.data = data;
    result.rank = axes;
    for (int axis = 0; axis < axes; ++axis) {
      const int own = axis - (axes - rank);
      result.extents[axis] = extents_of_axes[axis];
      result.strides[axis] = own < 0 || extents[own] == 1 ? 0 : strides[own];
    }
    return result;
  }
};

}  // namespace flowgraph
