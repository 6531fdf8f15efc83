// The standard kernels for 64-bit ARM, all of whose processors have NEON.
// This file may include no other header: inline functions of other headers would be compiled for this level, and the linker could
// use these copies on every processor.

#define FLOWGRAPH_LEVEL_FILE 4

#include <flowgraph/ops/kernel/emit.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel::neon {

[[gnu::used]] static constexpr emitted<level> everything{};

}  // namespace flowgraph::kernel::neon
