#pragma once
// Finds the nodes that pass on the memory of a variable in TensorFlow. There, their readers also see later writes
// (passes/views.hpp).

#include <flowgraph/graph/graph.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

// Returns whether in TensorFlow the first output of a node shares memory with its input. If the node has several such outputs, each
// shares the memory of its own input.
bool hands_memory_on(const node& n);
// Marks nodes from number `first` on as views if they pass on the memory of a variable, either directly or through another view.
void mark_views(const graph& g, std::size_t first);

// The variable whose memory an input shares, because an earlier node has read the variable.
struct shown_variable {
  edge variable;               // the input of the reader
  const node* read = nullptr;  // that reader; null: the input shares no variable, or all nodes between are marked as views
};
shown_variable shown_by(const graph& g, const edge& input);

// Returns an error that names a node which would read different values in TensorFlow: the node waits for a write to a variable, and
// reads the value that a node before the write has read.
error check_reads(const graph& g, std::span<const node* const> nodes);

}  // namespace flowgraph::protobuf
