#pragma once
// Replaces calls of functions by the bodies of the functions. The result is an equivalent graph without functions, with Switch,
// Merge and loops.

#include <flowgraph/interop/graph_def.hpp>
#include <flowgraph/op/registry.hpp>

#include <optional>
#include <source_location>
#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

struct lowering_limits {
  std::size_t calls = 64;       // nested in each other
  std::size_t nodes = 200'000;  // created for calls
};

// Returns nothing if the file calls no function. The nodes of the file keep their positions and names: the node with the name of a
// call has the outputs of the call, and waits for its side effects. New nodes come after them, with names below that of the call.
// Frames of loops are named by `frame_prefix` and the call. Refuses calls that do not fit their function, functions that are
// missing or call themselves, and graphs beyond the limits.
result<std::optional<graph_def>> lower_calls(const graph_def& file, const registry& ops, const std::string& frame_prefix,
                                             std::source_location where, const lowering_limits& limits = {});

}  // namespace flowgraph::protobuf
