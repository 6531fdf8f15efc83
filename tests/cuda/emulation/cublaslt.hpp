#pragma once
// A stand-in for cuBLASLt, for emulated GPUs. It checks all arguments, and it computes products in a stream by its own code. The
// products have other bits than those of flowgraph's kernels, because the inner axis is walked from its end.

#include <cuda/device/cublaslt.hpp>

#include <atomic>
#include <cstdint>

namespace emulation::stand_in {

namespace lt = flowgraph::cuda::cublaslt;

// What the stand-in has counted, and the call that fails.
struct counters {
  std::atomic<int> objects{0};                // that are not destroyed
  std::atomic<std::uint64_t> calls{0};        // of all functions
  std::atomic<std::uint64_t> searches{0};     // for algorithms
  std::atomic<std::uint64_t> products{0};     // that were requested
  std::atomic<std::uint64_t> with_packs{0};   // of these, products whose algorithm needs aligned addresses
  std::uint64_t failing = 0;                  // the number of the call that fails, from 1; 0: none
  int status = lt::status::execution_failed;  // of the call that fails
};
counters& counted();

// Products with this inner extent have no algorithm. Products with the next extent have only algorithms that divide the
// inner axis.
inline constexpr std::uint64_t refused_inner = 13, divided_inner = 14;

// Returns a function by its name in the library, or null.
void* find(const char* name);
const lt::functions& functions();

}  // namespace emulation::stand_in
