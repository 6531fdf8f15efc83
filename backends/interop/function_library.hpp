#pragma once
// The functions that a graph brings along (FunctionDefLibrary), read when asked for: a file holds many that nobody calls.

#include "wire.hpp"

#include <flowgraph/interop/graph_def.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace wire {

// What a function takes or gives: one tensor, `number_attribute` many of one type, or one of each type in a list.
struct function_argument {
  std::string name;
  std::int64_t type = 0;  // as the file numbers it; 0: an attribute says it
  std::string type_attribute, number_attribute, list_attribute;
};

struct function_def {
  std::string name;
  std::vector<function_argument> inputs, outputs;
  std::vector<attribute_def> defaults;  // of the attributes of its signature that have one
  // Inputs are "argument", "node:output" or "node:output:index", then "^node".
  std::vector<node_def> nodes;
  std::vector<std::pair<std::string, std::string>> returns;  // an output, and where in the body it comes from
  std::vector<std::string> control_returns;                  // nodes that must have run when the call has
  bool stateful = false;
};

// A function with the attributes that it is called with.
struct function_call {
  std::string name;
  std::vector<attribute_def> attributes;
};

class function_library {
public:
  // Keeps views of `graph`. Throws what read_graph_def refuses, and where two functions share a name and differ.
  explicit function_library(const graph_def& graph);

  bool contains(std::string_view name) const { return parts_.contains(name); }
  // Null when there is none. Throws data_loss where it cannot be read.
  const function_def* find(std::string_view name);

private:
  std::unordered_map<std::string_view, bytes> parts_;
  std::unordered_map<std::string_view, std::unique_ptr<function_def>> read_;
  allowance left_;
};

// The functions that an attribute of kind function, or list of functions, names; empty where it is of another kind.
std::vector<function_call> functions_in(const attribute_def& attribute);

// The attribute of the function that stands in for this one ("T"); empty where it has a value of its own.
std::string placeholder_in(const attribute_def& attribute);

}
}
}  // namespace flowgraph::wire
