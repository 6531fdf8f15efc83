#pragma once
// Detects the instruction sets that the processor supports, and whose registers the operating system saves. It does not use the
// compilers' built-in functions, which add a table of all known processors to each program.

#include <flowgraph/ops/kernel/kernels.hpp>

#include <cpuid.h>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel {

FLOWGRAPH_COLD inline instruction_set highest_of_processor() {
  const auto has = [](unsigned word, unsigned bit) { return (word >> bit & 1u) != 0; };
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return instruction_set::baseline;
  const bool fma = has(c, 12), saves = has(c, 27), avx = has(c, 28), halves = has(c, 29);
  if (!fma || !saves || !avx || !halves || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return instruction_set::baseline;
  unsigned saved = 0, unused = 0;
  __asm__("xgetbv" : "=a"(saved), "=d"(unused) : "c"(0));
  const bool avx2 = has(b, 5) && (saved & 0x6u) == 0x6u;
  const bool avx512 = has(b, 16) && has(b, 17) && has(b, 30) && has(b, 31) && (saved & 0xe6u) == 0xe6u;
  return !avx2 ? instruction_set::baseline : avx512 ? instruction_set::avx512 : instruction_set::avx2;
}

// Returns the level in `name`, or `highest` if the name is null, is unknown, or names a higher level.
FLOWGRAPH_COLD inline instruction_set limited_level(const char* name, instruction_set highest) {
  if (!name) return highest;
  const instruction_set named = __builtin_strcmp(name, "baseline") == 0 ? instruction_set::baseline
                                : __builtin_strcmp(name, "avx2") == 0   ? instruction_set::avx2
                                                                        : highest;
  return named < highest ? named : highest;
}

// Returns the level that the environment variable FLOWGRAPH_INSTRUCTIONS names, or the highest level of the processor. A function of
// flowgraph::compiled.
instruction_set level_of_process();

}  // namespace flowgraph::kernel
