#pragma once
// The state of a session as bytes, which a checkpoint holds beside the variables.

#include <flowgraph/op/saved_state.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// A message of fields, the same on every machine.
std::string to_bytes(const saved_state& state);

// What `to_bytes` made: data_loss where the bytes are damaged.
result<saved_state> parse_saved_state(std::string_view bytes);

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/state_bytes.hpp>
#endif
