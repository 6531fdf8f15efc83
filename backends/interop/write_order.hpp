#pragma once
// Finds reads of a variable that come before a write.

#include <flowgraph/graph/graph.hpp>

#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

// In a run, flowgraph orders the accesses to a variable by their creation; TensorFlow does not. This function returns the nodes
// that read a variable changed by `writer` and were created before it, if neither node waits for the other. In a file for
// TensorFlow they become control inputs of the writer. Nodes are left out if they need more than the writer itself: other feeds,
// other state, or a branch that may not be taken. If the writer is an Assign, no node is returned, since the variable may not have
// a value before it.
std::vector<const node*> reads_before(const graph& g, const node& writer);

}  // namespace flowgraph::protobuf
