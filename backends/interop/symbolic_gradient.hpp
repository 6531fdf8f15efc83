#pragma once
// Implements SymbolicGradient: gradients of a function whose body is in the graph.

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/op/registry.hpp>

#include <span>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

// Returns a dense gradient for each of `inputs`: zeros if the outputs do not depend on the input. `arrived` contains the gradient
// of each of `outputs`. The added nodes get names below `name`.
result<std::vector<any_out>> add_gradients(const graph& g, const registry& ops, std::span<const any_out> outputs,
                                           std::span<const any_out> inputs, std::span<const any_out> arrived, const site& name);

}  // namespace flowgraph::protobuf
