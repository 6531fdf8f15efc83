#pragma once
// Tensors as TensorFlow's files hold them (TensorProto): all encodings are read, the shortest one is written.

#include <flowgraph/core/tensor.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// What a file may ask for. A file is checked against its own size first: a cut or hostile one ends in an error, not in an allocation.
struct read_limits {
  // A tensor may be written shorter than it is: its last value stands for the rest. Bytes that a file as a whole may gain so.
  std::size_t expanded_bytes = std::size_t{256} << 20;
  int nesting = 64;  // of messages within messages
};

// Reads a TensorProto. data_loss: the bytes are none; unimplemented: its element type is none of flowgraph's; resource_exhausted:
// a limit.
result<any_tensor> read_tensor(std::span<const std::byte> file, const read_limits& limits = {});

// The bytes of a TensorProto. Refuses tensors of resources, which mean nothing outside their session.
result<std::string> write_tensor(const any_tensor& value);

}
}  // namespace flowgraph
