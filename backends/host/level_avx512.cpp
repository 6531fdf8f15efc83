// The standard kernels for AVX-512; compiled with -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma.
// This file may include no other header: inline functions of other headers would be compiled for this level, and the linker could
// use these copies on every processor.

#define FLOWGRAPH_LEVEL_FILE 2

#include <flowgraph/ops/kernel/emit.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel::avx512 {

[[gnu::used]] static constexpr emitted<level> everything{};

}  // namespace flowgraph::kernel::avx512
