// The standard kernels for AVX2 and FMA; compiled with -mavx2 -mfma.
// This file may include no other header: inline functions of other headers would be compiled for this level, and the linker could
// use these copies on every processor.

#define FLOWGRAPH_LEVEL_FILE 1

#include <flowgraph/ops/kernel/emit.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel::avx2 {

[[gnu::used]] static constexpr emitted<level> everything{};

}  // namespace flowgraph::kernel::avx2
