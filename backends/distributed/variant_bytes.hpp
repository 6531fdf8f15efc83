#pragma once
// Lists and optionals as bytes and tensors: they cross between tasks as their elements.

#include "bytes.hpp"

#include <flowgraph/core/tensor.hpp>

#include <span>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

// Of a tensor of variants. An error: an element is of another kind, or too deep inside of others.
error write_variants(byte_writer& to, recycled_tensors& tensors, const any_tensor& value);
// What makes no sense leaves the reader not ok().
any_tensor read_variants(byte_reader& from, std::span<const any_tensor> tensors, std::pmr::memory_resource* memory);

}
}
}  // namespace flowgraph::distributed
