#pragma once
// The memory of a task's tensors, and of tensors that arrive over connections. Freed memory is kept for the next tensor: a repeated
// step then takes nothing from the heap. Touching fresh memory takes longer than receiving the same number of bytes.

#include <flowgraph/config.hpp>

#include <memory_resource>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

// Returns the memory resource of the process, which is never destroyed. Thread-safe.
std::pmr::memory_resource* tensor_memory();

}  // namespace flowgraph::distributed
