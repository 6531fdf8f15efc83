#pragma once
// Converts tensors to TensorFlow's TensorProto messages and back, like the ops SerializeTensor and ParseTensor.

#include <flowgraph/core/tensor.hpp>

#include <string>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns the bytes of a TensorProto. `t` must contain plain elements or strings. If `strings_as_content` is set, strings are in
// the field of plain elements: first all lengths, then the characters.
std::string serialize_tensor(const any_tensor& t, bool strings_as_content = false);

// Parses a TensorProto. If the message has fewer values than the tensor has elements, the last value is repeated; without values,
// all elements are zero. `expanded_bytes` is the largest number of bytes by which the tensor may exceed the message, so that a
// small message cannot request a large tensor. Errors have the code invalid_argument.
result<any_tensor> parse_tensor(std::string_view bytes, std::pmr::memory_resource* from = std::pmr::new_delete_resource(),
                                std::size_t expanded_bytes = std::size_t{256} << 20);

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/serialized_tensor.hpp>
#endif
