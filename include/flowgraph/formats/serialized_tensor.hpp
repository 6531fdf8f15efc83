#pragma once
// Tensors as TensorFlow's TensorProto messages: what SerializeTensor writes and ParseTensor reads.

#include <flowgraph/core/tensor.hpp>

#include <string>
#include <string_view>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// The bytes of a TensorProto. `t` holds plain elements or strings.
std::string serialize_tensor(const any_tensor& t);

// The tensor in a TensorProto. Where the message has fewer values than elements the last one fills the rest, zeros where there is none:
// up to so many bytes more than the message, so that no small message asks for a large tensor. Errors are invalid_argument.
result<any_tensor> parse_tensor(std::string_view bytes, std::pmr::memory_resource* from = std::pmr::new_delete_resource(),
                                std::size_t expanded_bytes = std::size_t{256} << 20);

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/serialized_tensor.hpp>
#endif
