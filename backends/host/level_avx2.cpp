// The standard kernels for AVX2 and FMA; compiled with -mavx2 -mfma.
// It may include no other header: any inline function of another would be compiled for this level, and the linker could
// pick that copy for every processor.

#define FLOWGRAPH_LEVEL_FILE 1

#include <flowgraph/ops/kernel/emit.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace kernel::avx2 {

[[gnu::used]] static constexpr emitted<level> everything{};

}
}
}  // namespace flowgraph::kernel::avx2
