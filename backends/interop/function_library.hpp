#pragma once
// The functions that the file of a graph contains (FunctionDefLibrary). Each is read when it is needed, since a file has many
// functions that are never called.

#include "protobuf.hpp"

#include <flowgraph/interop/graph_def.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

// An argument or output of a function: one tensor, a number of tensors of one type (`number_attribute`), or a list with a type
// each.
struct function_argument {
  std::string name;
  std::int64_t type = 0;  // the number of the type in the file; 0: an attribute contains it
  std::string type_attribute, number_attribute, list_attribute;
};

struct function_def {
  std::string name;
  std::vector<function_argument> inputs, outputs;
  std::vector<attribute_def> defaults;  // of the attributes of the signature with a default
  // Inputs are "argument", "node:output" or "node:output:index", then "^node".
  std::vector<node_def> nodes;
  std::vector<std::pair<std::string, std::string>> returns;  // an output, and its source in the body
  std::vector<std::string> control_returns;                  // nodes that must have run when the call ends
  bool stateful = false;
};

// A function with the attributes of a call.
struct function_call {
  std::string name;
  std::vector<attribute_def> attributes;
};

class function_library {
public:
  // Keeps views of `graph`. Throws the errors of read_graph_def, and an error if two different functions have the same name.
  explicit function_library(const graph_def& graph);

  bool contains(std::string_view name) const { return parts_.contains(name); }
  // Returns null if there is no such function. Throws data_loss if it cannot be read.
  const function_def* find(std::string_view name);

private:
  std::unordered_map<std::string_view, bytes> parts_;
  std::unordered_map<std::string_view, std::unique_ptr<function_def>> read_;
  allowance left_;
};

// Returns the functions that an attribute names. Returns an empty list if the kind of the attribute is neither function nor list of
// functions.
std::vector<function_call> functions_in(const attribute_def& attribute);

// Returns the name of the function's attribute, such as "T", that supplies the value of this attribute. Returns an empty text if
// the attribute has a value of its own.
std::string placeholder_in(const attribute_def& attribute);

}  // namespace flowgraph::protobuf
