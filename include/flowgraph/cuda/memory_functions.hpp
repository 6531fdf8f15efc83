#pragma once
// Memory of a GPU that a program provides.

#include <flowgraph/config.hpp>

#include <cstddef>

namespace flowgraph::inline FLOWGRAPH_ABI::cuda {

// Functions that allocate memory of a GPU, for example from the pool of another library. They are called from any thread, but
// never at the same time. `stream` is a cudaStream_t. Work that this stream receives after `allocate` uses the block. Work that
// it received before `free` may still use the block.
struct memory_functions {
  void* (*allocate)(std::size_t bytes, void* stream, void* user) = nullptr;  // returns null if there is not enough memory
  void (*free)(void* block, std::size_t bytes, void* stream, void* user) = nullptr;
  void* user = nullptr;  // passed to both functions
};

}  // namespace flowgraph::cuda
