#pragma once
// Where the user wrote a construction, and the name wished for: the last parameter of every function that adds a node.
//
//     auto logits = fg::matmul(x, w, {.name = "logits"});

#include <flowgraph/config.hpp>

#include <source_location>
#include <string_view>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// The name of a node, and the line of the program that makes it; the last parameter of most functions.
struct site {
  std::string_view name = {};  // empty: the op's own name
  std::source_location location = std::source_location::current();
};

}
}  // namespace flowgraph
