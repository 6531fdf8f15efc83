#pragma once
// A function as one call has it: attributes have the caller's values, and edges are written as in a graph.

#include "function_library.hpp"

#include <flowgraph/op/registry.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace wire {

struct function_body {
  std::string function;
  std::vector<attribute_def> attributes;  // of the call and, where it is silent, the function's defaults
  std::vector<std::string> arguments;     // an edge a tensor: "x:0"; of a list "x:0", "x:1"
  std::vector<dtype> argument_types, output_types;
  std::vector<node_def> nodes;        // they read "node:port" and arguments, then "^node"
  std::vector<std::string> outputs;   // edges, as nodes read them
  std::vector<std::string> controls;  // nodes that have to run whether or not an output needs them
  std::vector<std::string> effects;   // these, and all other stateful ones
};

// Throws: not_found for a function that the library lacks; what does not fit, by names of function and node.
function_body body_of(const function_call& call, function_library& library, const registry& ops);

// The types that an attribute lists; throws where it is missing or no such list.
std::vector<dtype> types_in(const node_def& n, std::string_view attribute);

// PartitionedCall, If, While and others whose attributes name what they call.
bool is_call(std::string_view op) noexcept;

// "name:port" and "name"; the port is 0 where there is none.
std::string_view node_in(std::string_view edge) noexcept;

}
}
}  // namespace flowgraph::wire
