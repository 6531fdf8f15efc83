#pragma once
// The objects of a model that TensorFlow 2 saved (SavedObjectGraph): which variables it has, and which nodes make their handles.

#include "wire.hpp"

#include <flowgraph/interop/saved_model.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace wire {

// The variables of the objects, those of nodes of `graph` first in the order in which its calls take them.
std::vector<object_variable> read_object_variables(bytes objects, const graph_def& graph);

}
}
}  // namespace flowgraph::wire
