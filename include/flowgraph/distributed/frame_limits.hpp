#pragma once
// What a frame may be at most. A peer that says more is refused before memory is taken for it.

#include <flowgraph/config.hpp>

#include <cstddef>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Limits of one frame.
struct frame_limits {
  std::size_t body_bytes = std::size_t{256} << 20;   // of its text: a part of a graph at most
  std::size_t tensors = 1 << 16;                     // how many
  std::size_t tensor_bytes = std::size_t{16} << 30;  // all its tensors together
  int rank = 12;                                     // of each; shapes have no more
};

}
}  // namespace flowgraph
