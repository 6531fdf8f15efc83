#pragma once
// Selects the instruction-set level whose kernels a program calls.
//
//   auto* loop = kernel::dispatch([]<class L>(L) { return &L::template sum<float>; });
//   const float total = loop(x, n);
//   kernel::unary_loop<functor::exp, float>()(x, y, n);
//
// flowgraph::compiled contains the kernels of every level, and the processor decides at run time; their bodies are not in
// headers. Header-only code has a single level, that of the compiler's flags, and calls it directly.

#include <flowgraph/functors/all.hpp>
#include <flowgraph/ops/kernel/level.hpp>

#if defined(FLOWGRAPH_COMPILED) && (defined(__x86_64__) || defined(__i386__))
#include <flowgraph/ops/kernel/processor.hpp>
#endif
#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/kernel/finish.hpp>
#include <flowgraph/ops/kernel/fourier.hpp>
#include <flowgraph/ops/kernel/gather.hpp>
#include <flowgraph/ops/kernel/largest.hpp>
#include <flowgraph/ops/kernel/loops.hpp>
#include <flowgraph/ops/kernel/normal.hpp>
#include <flowgraph/ops/kernel/product.hpp>
#include <flowgraph/ops/kernel/reduce.hpp>
#include <flowgraph/ops/kernel/steps.hpp>
#include <flowgraph/ops/kernel/taps.hpp>
#include <flowgraph/ops/kernel/update.hpp>
#endif

namespace flowgraph::inline FLOWGRAPH_ABI::kernel {

// Returns the level in use: the highest available level that this processor and its operating system support, or the lower level
// that FLOWGRAPH_INSTRUCTIONS names.
template <class Own = own> instruction_set level() {
#if defined(FLOWGRAPH_COMPILED) && (defined(__x86_64__) || defined(__i386__))
  static const instruction_set found = level_of_process();
  return found;
#else
  return Own::instructions;
#endif
}

// Returns the level for rows of n floats: the widest whose registers they fill.
template <class Own = own> instruction_set level_of_rows(std::int64_t n) {
  const instruction_set found = level<Own>();
  return n < 16 && found == instruction_set::avx512 ? instruction_set::avx2 : found;
}

// Returns the result of `pick` for the level in use, or for the lower level `at`. Header-only code always uses its only level.
template <class Pick, class Own = own> auto dispatch(const Pick& pick, instruction_set at = level()) {
#if defined(FLOWGRAPH_HEADER_ONLY)
  static_cast<void>(at);
  return pick(Own{});
#elif defined(__x86_64__) || defined(__i386__)
  switch (at) {
    case instruction_set::avx512: return pick(avx512::level{});
    case instruction_set::avx2: return pick(avx2::level{});
    default: return pick(baseline::level{});
  }
#elif defined(__aarch64__)
  static_cast<void>(at);
  return pick(neon::level{});
#else
  static_cast<void>(at);
  return pick(baseline::level{});
#endif
}

// True if flowgraph::compiled contains the loops over F at every level. The loops over other functors are compiled where they are
// used, with the flags of that file, which must include <flowgraph/ops/kernel/loops.hpp>.
template <class F, class T>
concept precompiled = (__is_same(T, float) || __is_same(T, double)) && bool(functor::packet_functors::contains<F>);

// In the sources of flowgraph::compiled, a loop that is compiled where it is used would run at the baseline level on every
// processor.
#ifdef FLOWGRAPH_STANDARD_KERNELS
template <class F, class T> inline constexpr bool runs_at_its_level = precompiled<F, T>;
#else
template <class F, class T> inline constexpr bool runs_at_its_level = true;
#endif

// Returns the result of `pick` for the level at which the loops over F run.
template <class F, class T, class Own, class Pick> auto dispatch_functor(const Pick& pick, instruction_set at) {
  if constexpr (precompiled<F, T>) return dispatch(pick, at);
  else return pick(Own{});
}

template <class F, class T, class Own = own> auto unary_loop(instruction_set at = level()) {
  static_assert(runs_at_its_level<F, T>, "flowgraph: this functor is not in the list of a family in flowgraph/functors");
  const auto pick = []<class Level>(Level) { return &Level::template unary<F, T>; };
  return dispatch_functor<F, T, Own>(pick, at);
}

// The loop over two operands of equal size.
template <class F, class T, class Own = own> auto paired_loop(instruction_set at = level()) {
  static_assert(runs_at_its_level<F, T>, "flowgraph: this functor is not in the list of a family in flowgraph/functors");
  const auto pick = []<class Level>(Level) { return &Level::template binary<F, T>; };
  return dispatch_functor<F, T, Own>(pick, at);
}

// The loops for the layouts of two operands: both are arrays, or one of them is a single number.
template <class T> struct binary_loops {
  using loop = void (*)(const T* a, const T* b, T* y, std::int64_t n);
  loop both, scalar_left, scalar_right;
};

template <class F, class T, class Own = own> binary_loops<T> binary_loop(instruction_set at = level()) {
  static_assert(runs_at_its_level<F, T>, "flowgraph: this functor is not in the list of a family in flowgraph/functors");
  static_assert(!functor::is_paired<F>, "flowgraph: this functor has no loop over an array and a single number");
  const auto pick = []<class Level>(Level) {
    return binary_loops<T>{&Level::template binary<F, T>, &Level::template binary_scalar_left<F, T>,
                           &Level::template binary_scalar_right<F, T>};
  };
  return dispatch_functor<F, T, Own>(pick, at);
}

}  // namespace flowgraph::kernel
