// The standard kernels for AVX-512; compiled with -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma.
// It may include no other header: any inline function of another would be compiled for this level, and the linker could
// pick that copy for every processor.

#define FLOWGRAPH_LEVEL_FILE 2

#include <flowgraph/ops/kernel/emit.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace kernel::avx512 {

[[gnu::used]] static constexpr emitted<level> everything{};

}
}
}  // namespace flowgraph::kernel::avx512
