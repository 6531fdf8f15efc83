// The instruction-set level of a program on x86.

#if defined(__x86_64__) || defined(__i386__)

#include <flowgraph/ops/kernel/processor.hpp>

#include <cstdlib>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel {

instruction_set level_of_process() { return limited_level(std::getenv("FLOWGRAPH_INSTRUCTIONS"), highest_of_processor()); }

}  // namespace flowgraph::kernel

#endif
