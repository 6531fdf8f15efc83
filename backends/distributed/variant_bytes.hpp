#pragma once
// Writes lists and optionals as bytes and tensors. They travel between tasks as their elements.

#include "bytes.hpp"

#include <flowgraph/core/tensor.hpp>

#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

// Writes a tensor of variants. If an element is of another kind, or nested too deeply, returns an error.
error write_variants(byte_writer& to, recycled_tensors& tensors, const any_tensor& value);
// Reads a tensor of variants. If the bytes are invalid, the reader is not ok() afterwards.
any_tensor read_variants(byte_reader& from, std::span<const any_tensor> tensors, std::pmr::memory_resource* memory);

}  // namespace flowgraph::distributed
