#pragma once
// Tensors in TensorFlow's file format (TensorProto): all encodings are read, and the shortest is written.

#include <flowgraph/core/tensor.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Limits for reading a file. Sizes are first checked against the size of the file, so that a truncated or malicious file causes
// an error and not a large allocation.
struct read_limits {
  // Largest number of bytes by which all tensors of a file together may exceed their stored size. A tensor can be stored with
  // fewer values than elements; then the last value is repeated.
  std::size_t expanded_bytes = std::size_t{256} << 20;
  int nesting = 64;  // largest depth of nested messages
};

// Reads a TensorProto. Errors: data_loss if the bytes are not a TensorProto, unimplemented for an element type that flowgraph
// does not have, resource_exhausted if a limit is exceeded.
result<any_tensor> read_tensor(std::span<const std::byte> file, const read_limits& limits = {});

// Returns the bytes of a TensorProto. If the tensor contains resources, returns an error, because resources are valid only in
// their session.
result<std::string> write_tensor(const any_tensor& value);

}  // namespace flowgraph
