// The standard kernels for any processor of the target: on x86-64, SSE2.
// This file may include no other header: inline functions of other headers would be compiled for this level, and the linker could
// use these copies on every processor.

#define FLOWGRAPH_LEVEL_FILE 0

#include <flowgraph/ops/kernel/emit.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel::baseline {

[[gnu::used]] static constexpr emitted<level> everything{};

}  // namespace flowgraph::kernel::baseline
