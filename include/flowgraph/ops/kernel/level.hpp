#pragma once
// The instruction-set level of the kernel bodies in this translation unit.
//
// FLOWGRAPH_LEVEL names the namespace kernel::FLOWGRAPH_LEVEL of packets and their mathematics. A file that is built for one
// level defines FLOWGRAPH_LEVEL_FILE; in other files the compiler's flags determine the level. Kernels of devices use the level `one`,
// whose packets have a single lane. A header-only program may define FLOWGRAPH_BASELINE: its kernels then have the level baseline
// with any compiler flags, and so the same bits on all platforms.

#include <flowgraph/ops/kernel/kernels.hpp>

#define FLOWGRAPH_LEVEL_BASELINE 0
#define FLOWGRAPH_LEVEL_AVX2 1
#define FLOWGRAPH_LEVEL_AVX512 2
#define FLOWGRAPH_LEVEL_ONE 3
#define FLOWGRAPH_LEVEL_NEON 4

#if defined(FLOWGRAPH_BASELINE) && !defined(FLOWGRAPH_COMPILED)
#define FLOWGRAPH_LEVEL_OF_FLAGS FLOWGRAPH_LEVEL_BASELINE
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__FMA__)
#define FLOWGRAPH_LEVEL_OF_FLAGS FLOWGRAPH_LEVEL_AVX512
#elif defined(__AVX2__) && defined(__FMA__)
#define FLOWGRAPH_LEVEL_OF_FLAGS FLOWGRAPH_LEVEL_AVX2
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define FLOWGRAPH_LEVEL_OF_FLAGS FLOWGRAPH_LEVEL_NEON
#else
#define FLOWGRAPH_LEVEL_OF_FLAGS FLOWGRAPH_LEVEL_BASELINE
#endif

#ifdef FLOWGRAPH_LEVEL_FILE
#define FLOWGRAPH_LEVEL_USED FLOWGRAPH_LEVEL_FILE
#if FLOWGRAPH_LEVEL_FILE != FLOWGRAPH_LEVEL_ONE && FLOWGRAPH_LEVEL_FILE > FLOWGRAPH_LEVEL_OF_FLAGS
#error "this file is compiled without the flags of its level"
#endif
#else
#define FLOWGRAPH_LEVEL_USED FLOWGRAPH_LEVEL_OF_FLAGS
#endif

#if FLOWGRAPH_LEVEL_USED == FLOWGRAPH_LEVEL_AVX512
#define FLOWGRAPH_LEVEL avx512
#elif FLOWGRAPH_LEVEL_USED == FLOWGRAPH_LEVEL_AVX2
#define FLOWGRAPH_LEVEL avx2
#elif FLOWGRAPH_LEVEL_USED == FLOWGRAPH_LEVEL_ONE
#define FLOWGRAPH_LEVEL one
#elif FLOWGRAPH_LEVEL_USED == FLOWGRAPH_LEVEL_NEON
#define FLOWGRAPH_LEVEL neon
#else
#define FLOWGRAPH_LEVEL baseline
#endif

namespace flowgraph::inline FLOWGRAPH_ABI::kernel {

#if defined(FLOWGRAPH_COMPILED) && !defined(FLOWGRAPH_LEVEL_FILE)
using own = inherited<FLOWGRAPH_LEVEL::level>;
#else
using own = FLOWGRAPH_LEVEL::level;
#endif

}  // namespace flowgraph::kernel
