#pragma once
// SymbolicGradient: gradients of a function that stands in the graph.

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/op/registry.hpp>

#include <span>
#include <string>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace wire {

// One gradient for each of `inputs`, dense, and zeros where the outputs do not depend on it; `arrived` is one for each of
// `outputs`. The nodes for it get names below `name`.
result<std::vector<any_out>> add_gradients(const graph& g, const registry& ops, std::span<const any_out> outputs,
                                           std::span<const any_out> inputs, std::span<const any_out> arrived, const site& name);

}
}
}  // namespace flowgraph::wire
