#pragma once
// Limits of a frame. A frame that exceeds them is refused before memory is allocated for it.

#include <flowgraph/config.hpp>

#include <cstddef>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Limits of one frame.
struct frame_limits {
  std::size_t body_bytes = std::size_t{256} << 20;   // size of its text, for example of a part of a graph
  std::size_t tensors = 1 << 16;                     // number of tensors
  std::size_t tensor_bytes = std::size_t{16} << 30;  // total size of all tensors
  int rank = 12;                                     // rank of each tensor; shapes support no more
};

}  // namespace flowgraph
