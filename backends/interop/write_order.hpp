#pragma once
// Reads of a variable that come before a write.

#include <flowgraph/graph/graph.hpp>

#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace wire {

// Within a run flowgraph orders the accesses to a variable by their creation; TensorFlow does as it likes. These nodes read a variable
// that `writer` changes, were made before it, and do not wait for each other: for TensorFlow they become control inputs of the writer.
// Left out is what would need more than the writer itself does: other feeds, other state, a branch that may not be taken; and, where the
// writer is Assign, a value before the first one.
std::vector<const node*> reads_before(const graph& g, const node& writer);

}
}
}  // namespace flowgraph::wire
