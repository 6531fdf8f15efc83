#pragma once

#include <flowgraph/core/resource.hpp>
#include <flowgraph/core/tensor.hpp>

#include <algorithm>
#include <cstring>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE result<any_tensor> any_tensor::allocate(dtype type, const flowgraph::shape& shape, std::pmr::memory_resource* from) {
  if (!shape.is_known()) return error(error_code::invalid_argument, "cannot allocate a tensor of shape " + to_string(shape));
  std::size_t elements = 1;
  for (const std::int64_t extent : shape) {
    const auto n = static_cast<std::size_t>(extent);
    if (n != 0 && elements > (std::size_t{1} << 47) / n)
      return error(error_code::resource_exhausted, "a tensor of shape " + to_string(shape) + " is too large");
    elements *= n;
  }
  auto made = buffer::allocate(type, elements, from);
  if (!made) return made.error();
  buffer_ref counted(*made);
  void* data = counted->data();
  return over(type, shape, std::move(counted), data);
}

FLOWGRAPH_INLINE result<any_tensor> any_tensor::copy(std::pmr::memory_resource* from) const {
  auto made = allocate(type_, shape_, from);
  if (!made) return made;
  if (type_ == dtype::string) {
    std::copy_n(static_cast<const std::string*>(data_), size_, static_cast<std::string*>(made->data_));
  } else if (type_ == dtype::resource) {
    std::copy_n(static_cast<const resource*>(data_), size_, static_cast<resource*>(made->data_));
  } else if (size_ != 0) {
    std::memcpy(made->data_, data_, bytes());
  }
  return made;
}

}  // namespace flowgraph
