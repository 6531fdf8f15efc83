#pragma once
// Calls of functions become what they call: a graph that does the same without functions, by Switch, Merge and loops.

#include <flowgraph/interop/graph_def.hpp>
#include <flowgraph/op/registry.hpp>

#include <optional>
#include <source_location>
#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace wire {

struct lowering_limits {
  std::size_t calls = 64;       // within each other
  std::size_t nodes = 200'000;  // that calls become
};

// Nothing where the file calls no function. The file's own nodes keep their places and names: a call's name has its outputs, and
// waits for what the call does besides. Nodes that are made stand after them, below the call's name. Frames of loops are named by
// `frame_prefix` and the call. Refused are calls that do not fit what they call, functions that are not there or call
// themselves, and what goes over the limits.
result<std::optional<graph_def>> lower_calls(const graph_def& file, const registry& ops, const std::string& frame_prefix,
                                             std::source_location where, const lowering_limits& limits = {});

}
}
}  // namespace flowgraph::wire
