#pragma once
// Writes the state of a session, except for variables, as the body of a frame. Contents of resources travel as a tensor beside it.

#include "../bytes.hpp"

#include <flowgraph/core/tensor.hpp>
#include <flowgraph/op/saved_state.hpp>

#include <span>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

// Writes the resources. If there are any, adds one tensor to the end of `tensors`.
void write_resources(byte_writer& to, recycled_tensors& tensors, std::span<const saved_resource> all);
// Reads resources. If the bytes are invalid, the reader is not ok() afterwards.
std::vector<saved_resource> read_resources(byte_reader& from, std::span<const any_tensor> tensors);

void write_draws(byte_writer& to, std::span<const saved_state::draws> all);
std::vector<saved_state::draws> read_draws(byte_reader& from);

}  // namespace flowgraph::distributed
