#pragma once
// The state of a session besides its variables as the body of a frame; contents of resources travel as a tensor beside it.

#include "../bytes.hpp"

#include <flowgraph/core/tensor.hpp>
#include <flowgraph/op/saved_state.hpp>

#include <span>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

// Adds a tensor, the last one, where there are any.
void write_resources(byte_writer& to, recycled_tensors& tensors, std::span<const saved_resource> all);
// A text that makes no sense leaves the reader not ok().
std::vector<saved_resource> read_resources(byte_reader& from, std::span<const any_tensor> tensors);

void write_draws(byte_writer& to, std::span<const saved_state::draws> all);
std::vector<saved_state::draws> read_draws(byte_reader& from);

}
}
}  // namespace flowgraph::distributed
