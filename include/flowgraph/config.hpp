#pragma once
// The configuration of the library: ABI tag, header-only or compiled, exceptions, inference only. Only this header tests which
// compiler is used.
//
// If the include path has a user-provided <flowgraph/user_config.hpp>, it is included first and may define the macros below.

#if __has_include(<flowgraph/user_config.hpp>)
#include <flowgraph/user_config.hpp>
#endif

// The location of the library's function bodies:
//
//   FLOWGRAPH_COMPILED  defined by the target flowgraph::compiled: functions and standard kernels are in its archive
//   FLOWGRAPH_SPLIT     functions are in the one file of the program that includes <flowgraph/implementation.hpp>, kernels are
//                       compiled where they are used; define it in every file of the program
//   neither             header-only: every file contains all functions, inline
//
// FLOWGRAPH_HEADER_ONLY: this file contains kernels. FLOWGRAPH_BODIES: this file also contains functions. FLOWGRAPH_ALL_INLINE:
// all files contain kernels and functions.
#ifdef FLOWGRAPH_COMPILED
#define FLOWGRAPH_INLINE
#define FLOWGRAPH_KERNEL_INLINE
#define FLOWGRAPH_ABI_BUILD c
#else
#define FLOWGRAPH_HEADER_ONLY 1
#define FLOWGRAPH_KERNEL_INLINE inline
#if !defined(FLOWGRAPH_SPLIT) || defined(FLOWGRAPH_IMPLEMENTATION)
#define FLOWGRAPH_BODIES 1
#endif
#ifdef FLOWGRAPH_SPLIT
#define FLOWGRAPH_INLINE
#define FLOWGRAPH_ABI_BUILD s
#else
#define FLOWGRAPH_INLINE inline
#define FLOWGRAPH_ALL_INLINE 1
#define FLOWGRAPH_ABI_BUILD h
#endif
#endif

// A pointer to a function of a higher layer, which is linked only into programs that use the pointer. In a header-only build, a
// header cannot refer to functions of higher layers: every program contains these functions, and the pointer is null.
#ifdef FLOWGRAPH_ALL_INLINE
#define FLOWGRAPH_FROM_ABOVE(function) nullptr
#else
#define FLOWGRAPH_FROM_ABOVE(function) &function
#endif

// Marks a function that runs once per graph or per plan, but not once per run. It is compiled for size, so that header-only
// programs compile much faster.
#define FLOWGRAPH_SELDOM FLOWGRAPH_COLD FLOWGRAPH_INLINE

// FLOWGRAPH_INFERENCE: ops have no gradients, so a program links only forward kernels.
#ifdef FLOWGRAPH_INFERENCE
#define FLOWGRAPH_ABI_GRADIENTS i
#else
#define FLOWGRAPH_ABI_GRADIENTS t
#endif

#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define FLOWGRAPH_EXCEPTIONS 1
#define FLOWGRAPH_ABI_ERRORS e
#else
// The linker prints this word if the program was built without exceptions and the library with exceptions.
#define FLOWGRAPH_ABI_ERRORS _without_exceptions
#endif

// FLOWGRAPH_NO_THREADS: one thread runs everything, and no locks are needed. Defined automatically if the standard library has no
// threads.
#include <version>
#if defined(_LIBCPP_HAS_NO_THREADS) || (defined(_LIBCPP_VERSION) && defined(_LIBCPP_HAS_THREADS) && _LIBCPP_HAS_THREADS == 0) || \
    (defined(__GLIBCXX__) && !defined(_GLIBCXX_HAS_GTHREADS))
#ifndef FLOWGRAPH_NO_THREADS
#define FLOWGRAPH_NO_THREADS
#endif
#endif
// FLOWGRAPH_NO_FILES: functions that read and write files are omitted. Defined automatically if the standard library has no
// <filesystem>.
#if !defined(__cpp_lib_filesystem) || defined(_LIBCPP_HAS_NO_FILESYSTEM_LIBRARY) || \
    (defined(_LIBCPP_HAS_FILESYSTEM) && _LIBCPP_HAS_FILESYSTEM == 0)
#ifndef FLOWGRAPH_NO_FILES
#define FLOWGRAPH_NO_FILES
#endif
#endif
#ifdef FLOWGRAPH_NO_THREADS
#define FLOWGRAPH_ABI_THREADS o
#else
#define FLOWGRAPH_ABI_THREADS
#endif

// FLOWGRAPH_ATOMICS_SLEEP: a thread that waits for a std::atomic sleeps until it is notified. In libstdc++ 12 this requires a
// futex: on systems other than Linux, the thread may miss the notification and sleep forever.
#if !defined(__GLIBCXX__) || defined(_GLIBCXX_HAVE_LINUX_FUTEX)
#define FLOWGRAPH_ATOMICS_SLEEP
#endif

// The inline namespace encodes version and options, so that incompatible builds fail to link, and builds of two versions can be
// used in one process.
#define FLOWGRAPH_JOIN_(a, b, c, d, e) a##_##b##c##d##e
#define FLOWGRAPH_JOIN(a, b, c, d, e) FLOWGRAPH_JOIN_(a, b, c, d, e)
#ifndef FLOWGRAPH_ABI_VERSION
#define FLOWGRAPH_ABI_VERSION v0_1
#endif
#define FLOWGRAPH_ABI \
  FLOWGRAPH_JOIN(FLOWGRAPH_ABI_VERSION, FLOWGRAPH_ABI_BUILD, FLOWGRAPH_ABI_GRADIENTS, FLOWGRAPH_ABI_ERRORS, FLOWGRAPH_ABI_THREADS)

#if defined(__GNUC__) || defined(__clang__)
#define FLOWGRAPH_COLD [[gnu::cold]]
#define FLOWGRAPH_NOT_INLINED [[gnu::noinline]] FLOWGRAPH_INLINE
#define FLOWGRAPH_FETCH(address) __builtin_prefetch(address)
#else
#define FLOWGRAPH_COLD
#define FLOWGRAPH_NOT_INLINED FLOWGRAPH_INLINE
#define FLOWGRAPH_FETCH(address) static_cast<void>(address)
#endif

// FLOWGRAPH_FUNCTION and FLOWGRAPH_ALWAYS_INLINE mark long and short element functions. nvcc compiles them for the host and for the
// device. FLOWGRAPH_INLINED marks short functions that only the host can call.
#if defined(__CUDACC__)
#define FLOWGRAPH_FUNCTION __host__ __device__
#else
#define FLOWGRAPH_FUNCTION
#endif
// Begins the declaration of a table of numbers that these functions read.
#if defined(__CUDA_ARCH__)
#define FLOWGRAPH_TABLE static constexpr __device__
#else
#define FLOWGRAPH_TABLE inline constexpr
#endif
#if defined(__CUDACC__)
#define FLOWGRAPH_ALWAYS_INLINE __host__ __device__ __forceinline__
#define FLOWGRAPH_INLINED inline
#elif defined(__GNUC__) || defined(__clang__)
#define FLOWGRAPH_ALWAYS_INLINE [[gnu::always_inline]] inline
#define FLOWGRAPH_INLINED [[gnu::always_inline]] inline
#else
#define FLOWGRAPH_ALWAYS_INLINE inline
#define FLOWGRAPH_INLINED inline
#endif
