#pragma once
// Which level's kernels a program calls.
//
//   auto* loop = kernel::dispatch([]<class L>(L) { return &L::template unary<functor::exp, float>; });
//   loop(x, y, n);
//
// With flowgraph::compiled every level is in the archive, and the processor decides; the bodies are not seen here. Header-only code
// has the one level of its compiler's flags, and the call is direct.

#include <flowgraph/ops/kernel/functor.hpp>
#include <flowgraph/ops/kernel/level.hpp>

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/kernel/loops.hpp>
#include <flowgraph/ops/kernel/product.hpp>
#include <flowgraph/ops/kernel/reduce.hpp>
#include <flowgraph/ops/kernel/update.hpp>
#endif

namespace flowgraph::inline FLOWGRAPH_ABI::kernel {

enum class instruction_set { baseline, avx2, avx512 };

// The highest level that this processor, and its operating system, can run.
inline instruction_set supported_level() {
#if defined(__x86_64__) || defined(__i386__)
  static const instruction_set found = [] {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return instruction_set::baseline;
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return avx512 ? instruction_set::avx512 : instruction_set::avx2;
  }();
  return found;
#else
  return instruction_set::baseline;
#endif
}

// What `pick` returns for the level in use, or for a lower one that is asked for. Header-only code has but its own level.
template <class Pick> auto dispatch(const Pick& pick, instruction_set at = supported_level()) {
#if defined(FLOWGRAPH_HEADER_ONLY)
  static_cast<void>(at);
  return pick(own{});
#elif defined(__x86_64__) || defined(__i386__)
  switch (at) {
    case instruction_set::avx512: return pick(avx512::level{});
    case instruction_set::avx2: return pick(avx2::level{});
    default: return pick(baseline::level{});
  }
#else
  static_cast<void>(at);
  return pick(baseline::level{});
#endif
}

}  // namespace flowgraph::inline FLOWGRAPH_ABI::kernel
