#pragma once
// Where the tensors of a task lie, and those that come over a connection. What goes is kept for the next one: a step like those before takes
// nothing from the heap, and to touch fresh memory takes longer than to receive as much.

#include <flowgraph/config.hpp>

#include <memory_resource>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

// One for the process; lives as long as it. Any thread may use it.
std::pmr::memory_resource* tensor_memory();

}
}
}  // namespace flowgraph::distributed
