#pragma once
// The functions that the file of a graph contains, as plain data.

#include "command.hpp"

#include <flowgraph/interop/graph_def.hpp>

#include <map>
#include <string>
#include <vector>

namespace command {

// A function of a library (FunctionDef).
struct file_function {
  fg::graph_def body;                          // its nodes
  std::vector<std::string> inputs, outputs;    // "name: type", in order
  std::map<std::string, std::string> returns;  // for each output and control output, its source in the body
};

// Returns the functions of a file by name.
std::map<std::string, file_function> functions_of(const fg::graph_def& graph);

// Returns the functions that a node calls by its op or by its attributes.
std::vector<std::string> functions_called_by(const fg::node_def& n, const std::map<std::string, file_function>& functions);

// Returns the functions that an attribute names; an empty list if the attribute is of another kind.
std::vector<std::string> functions_named_by(const fg::attribute_def& a);

}  // namespace command
