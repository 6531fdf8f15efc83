#pragma once
// The objects of a model that TensorFlow 2 has saved (SavedObjectGraph): its variables, and the nodes that create their handles.

#include "protobuf.hpp"

#include <flowgraph/interop/saved_model.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

// Returns the variables of the objects. Variables with nodes in `graph` come first, in the order in which calls use them.
std::vector<object_variable> read_object_variables(bytes objects, const graph_def& graph);

}  // namespace flowgraph::protobuf
