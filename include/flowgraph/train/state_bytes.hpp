#pragma once
// The state of a session as bytes, which a checkpoint stores with the variables.

#include <flowgraph/op/saved_state.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns the state as a protocol buffer, which is the same on every machine.
std::string to_bytes(const saved_state& state);

// Parses the result of `to_bytes`. If the bytes are damaged, returns the error data_loss.
result<saved_state> parse_saved_state(std::string_view bytes);

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/state_bytes.hpp>
#endif
