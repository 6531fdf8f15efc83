#pragma once
// Where tensors that come over a connection lie. Large blocks are kept for the next one: to touch fresh memory takes longer than to receive
// as much.

#include <flowgraph/config.hpp>

#include <memory_resource>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace tcp {

// One for the process; lives as long as it. Any thread may use it.
std::pmr::memory_resource* receive_memory();

}
}
}  // namespace flowgraph::tcp
