#pragma once
// Inputs and outputs that are indices, lengths or extents: read and written at any width, so that a kernel has one body for all
// widths.

#include <flowgraph/op/kernel.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The elements of a tensor of integers. The elements of a tensor of another type are read as bytes.
class integer_list {
public:
  explicit integer_list(const any_tensor& t) noexcept : data_(t.data()), size_(t.size()), type_(t.type()) {}

  std::size_t size() const noexcept { return size_; }
  std::int64_t operator[](std::size_t i) const noexcept {
    switch (type_) {
      case dtype::int32: return static_cast<const std::int32_t*>(data_)[i];
      case dtype::int64: return static_cast<const std::int64_t*>(data_)[i];
      case dtype::int8: return static_cast<const std::int8_t*>(data_)[i];
      default: return static_cast<const std::uint8_t*>(data_)[i];
    }
  }

private:
  const void* data_;
  std::size_t size_;
  dtype type_;
};

// An output with elements of 32 or 64 bits.
class index_output {
public:
  explicit index_output(view<std::int32_t> y) noexcept : data_(y.data()), wide_(false) {}
  explicit index_output(view<std::int64_t> y) noexcept : data_(y.data()), wide_(true) {}

  void set(std::int64_t i, std::int64_t value) const noexcept {
    if (wide_) static_cast<std::int64_t*>(data_)[i] = value;
    else static_cast<std::int32_t*>(data_)[i] = static_cast<std::int32_t>(value);
  }

private:
  void* data_;
  bool wide_;
};

}  // namespace flowgraph::detail
