#pragma once
// The body of a function for one call: attributes have the values of the call, and edges have the form that they have in graphs.

#include "function_library.hpp"

#include <flowgraph/op/registry.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

struct function_body {
  std::string function;
  std::vector<attribute_def> attributes;  // from the call, otherwise the function's defaults
  std::vector<std::string> arguments;     // one edge per tensor: "x:0"; for a list "x:0", "x:1"
  std::vector<dtype> argument_types, output_types;
  std::vector<node_def> nodes;        // with inputs "node:port" or arguments, then "^node"
  std::vector<std::string> outputs;   // edges in the same form
  std::vector<std::string> controls;  // nodes that must run in any case
  std::vector<std::string> effects;   // these, and all other stateful nodes
};

// Instantiates a function. Throws not_found if the library does not contain it, and errors that name function and node if the call
// does not fit.
function_body body_of(const function_call& call, function_library& library, const registry& ops);

// Returns the types that an attribute lists. Throws if the attribute is missing or not a list of types.
std::vector<dtype> types_in(const node_def& n, std::string_view attribute);

// Returns whether attributes of the op name the functions that it calls, as for PartitionedCall, If and While.
bool is_call(std::string_view op) noexcept;

// Returns the node of an edge "name:port" or "name"; without a port, the port is 0.
std::string_view node_in(std::string_view edge) noexcept;

}  // namespace flowgraph::protobuf
