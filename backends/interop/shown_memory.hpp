#pragma once
// Where TensorFlow hands on the memory of a variable: what reads it there sees later writes too (passes/views.hpp).

#include <flowgraph/graph/graph.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace wire {

// Whether the first output of a node has, in TensorFlow, the memory of its input; of several, each has that of its own.
bool hands_memory_on(const node& n);
// Marks as views the nodes from number `first` on that hand on the memory of a variable, as they read it or as another view has it.
void mark_views(const graph& g, std::size_t first);

// What an input shows of a variable that a node before it has read.
struct shown_variable {
  edge variable;               // as the reader of the variable takes it
  const node* read = nullptr;  // that reader; null: the input shows no variable, or has what an import has marked as a view
};
shown_variable shown_by(const graph& g, const edge& input);

// Refuses, by name, a graph in which a node would see a write in TensorFlow that it does not see here: it waits for the write and has
// what a node before the write has read.
error check_reads(const graph& g, std::span<const node* const> nodes);

}
}
}  // namespace flowgraph::wire
