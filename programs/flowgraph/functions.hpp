#pragma once
// The functions that a graph's file brings along, as plain data.

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
  std::map<std::string, std::string> returns;  // of each output and control output the place in the body
};

// The functions of a file, by their names.
std::map<std::string, file_function> functions_of(const fg::graph_def& graph);

// The functions that a node calls: by its op, and by its attributes.
std::vector<std::string> functions_called_by(const fg::node_def& n, const std::map<std::string, file_function>& functions);

// The functions that an attribute names; empty where it is of another kind.
std::vector<std::string> functions_named_by(const fg::attribute_def& a);

}  // namespace command
