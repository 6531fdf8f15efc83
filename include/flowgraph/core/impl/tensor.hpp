#pragma once

#include <flowgraph/core/far_memory.hpp>
#include <flowgraph/core/resource.hpp>
#include <flowgraph/core/shape_limit.hpp>
#include <flowgraph/core/tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Assigns strings or resources one by one.
template <class T> void assign_elements(const void* from, void* to, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) static_cast<T*>(to)[i] = static_cast<const T*>(from)[i];
}

}  // namespace detail

FLOWGRAPH_INLINE result<any_tensor> any_tensor::allocate(dtype type, const flowgraph::shape& shape,
                                                         std::pmr::memory_resource* from) {
  if (!shape.is_known()) return detail::invalid_argument({"cannot allocate a tensor of shape ", shape});
  std::uint64_t elements = 1;  // an extent may be larger than a size of 32 bits
  for (const std::int64_t extent : shape) {
    const auto n = static_cast<std::uint64_t>(extent);
    if (n != 0 && elements > static_cast<std::uint64_t>(detail::most_elements) / n)
      return error(error_code::resource_exhausted, message{"a tensor of shape ", shape, " is too large"});
    elements *= n;
  }
  auto result = buffer::allocate(type, static_cast<std::size_t>(elements), from);
  if (!result) return result.error();
  buffer_ref counted(*result);
  void* data = counted->data();
  return over(type, shape, std::move(counted), data);
}

FLOWGRAPH_INLINE bool any_tensor::emplace(dtype type, const flowgraph::shape& shape, std::pmr::memory_resource* from,
                                          large_memory* kept) noexcept {
  std::size_t elements = 1;
  double size = 1;  // does not wrap around
  for (const std::int64_t extent : shape) {
    if (extent < 0) return false;
    elements *= static_cast<std::size_t>(extent);
    size *= static_cast<double>(extent);
  }
  if (shape.rank < 0 || size > static_cast<double>(detail::most_elements)) return false;
  buffer* counted = buffer::allocate_or_null(type, elements, from, kept);
  if (!counted) return false;
  buffer_ = buffer_ref(counted);
  data_ = counted->data();
  size_ = elements;
  type_ = type;
  shape_ = shape;
  return true;
}

FLOWGRAPH_SELDOM result<any_tensor> any_tensor::copy(std::pmr::memory_resource* from, std::pmr::memory_resource* lies_in) const {
  if (!has_value()) return any_tensor();
  auto result = allocate(type_, shape_, from);
  if (!result) return result;
  if (type_ == dtype::string) {
    detail::assign_elements<std::string>(data_, result->data_, size_);
  } else if (is_counted(type_)) {
    detail::assign_elements<resource>(data_, result->data_, size_);
  } else if (size_ != 0) {
    if (error why = detail::copy_between(buffer_ ? buffer_->memory() : lies_in, data_, from, result->data_, bytes())) return why;
  }
  return result;
}

}  // namespace flowgraph
