#pragma once
// The line of the user's program that adds a node, and a name for the node.
//
//     auto logits = fg::matmul(x, w, {.name = "logits"});

#include <flowgraph/config.hpp>

#include <source_location>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The name of a node, and the line of the program that adds it. It is the last parameter of most functions that add nodes.
struct site {
  std::string_view name = {};                                       // empty: the node is named after its op
  std::source_location location = std::source_location::current();  // the line of the call, by default
};

}  // namespace flowgraph
