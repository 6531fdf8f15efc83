#pragma once
// How the library is built: the ABI tag, header-only or compiled, exceptions, inference only. Nothing else includes a compiler test.
//
// A user's own <flowgraph/user_config.hpp>, if it is on the include path, is read first and may set the switches below.

#if __has_include(<flowgraph/user_config.hpp>)
#include <flowgraph/user_config.hpp>
#endif

// Where the bodies of the library come from:
//
//   FLOWGRAPH_COMPILED  set by the target flowgraph::compiled: ordinary functions and standard kernels come from its archive
//   FLOWGRAPH_SPLIT     ordinary functions come from the one file of the program that includes <flowgraph/implementation.hpp>,
//                       kernels are compiled where they are named; every file of the program defines it
//   neither             header-only: every file has everything, inline
//
// FLOWGRAPH_HEADER_ONLY: kernels are seen here. FLOWGRAPH_BODIES: ordinary functions too. FLOWGRAPH_ALL_INLINE: in every file.
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

// A function of a layer above, which comes to a program with whoever refers to it. Where all is inline, a header cannot refer to functions
// above it: every program has them, and this is null.
#ifdef FLOWGRAPH_ALL_INLINE
#define FLOWGRAPH_FROM_ABOVE(function) nullptr
#else
#define FLOWGRAPH_FROM_ABOVE(function) &function
#endif

// An ordinary function that runs once per graph or per plan, not per run: compiled for size, which takes the compiler of a header-only
// program much less time.
#define FLOWGRAPH_SELDOM FLOWGRAPH_COLD FLOWGRAPH_INLINE

// FLOWGRAPH_INFERENCE: ops carry no gradients, so a program links forward kernels alone.
#ifdef FLOWGRAPH_INFERENCE
#define FLOWGRAPH_ABI_GRADIENTS i
#else
#define FLOWGRAPH_ABI_GRADIENTS t
#endif

#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define FLOWGRAPH_EXCEPTIONS 1
#define FLOWGRAPH_ABI_ERRORS e
#else
#define FLOWGRAPH_ABI_ERRORS _without_exceptions  // a word: the linker prints it where the library was built with them
#endif

// FLOWGRAPH_NO_THREADS: one thread runs all, and no lock is needed. So it is where the standard library has no threads.
#include <version>
#if defined(_LIBCPP_HAS_NO_THREADS) || (defined(_LIBCPP_VERSION) && defined(_LIBCPP_HAS_THREADS) && _LIBCPP_HAS_THREADS == 0) || \
    (defined(__GLIBCXX__) && !defined(_GLIBCXX_HAS_GTHREADS))
#ifndef FLOWGRAPH_NO_THREADS
#define FLOWGRAPH_NO_THREADS
#endif
#endif
// FLOWGRAPH_NO_FILES: so it is where the standard library has no <filesystem>. What reads and writes files is left out then.
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

// FLOWGRAPH_ATOMICS_SLEEP: a thread that waits for a std::atomic sleeps, and is woken. In libstdc++ 12 that takes a futex: on other systems
// than Linux it may miss the notification, and sleep for ever.
#if !defined(__GLIBCXX__) || defined(_GLIBCXX_HAVE_LINUX_FUTEX)
#define FLOWGRAPH_ATOMICS_SLEEP
#endif

// The inline namespace encodes version and options, so that builds that do not fit together fail to link and builds of two
// versions live side by side in one process.
#define FLOWGRAPH_JOIN_(a, b, c, d, e) a##_##b##c##d##e
#define FLOWGRAPH_JOIN(a, b, c, d, e) FLOWGRAPH_JOIN_(a, b, c, d, e)
#ifndef FLOWGRAPH_ABI_VERSION
#define FLOWGRAPH_ABI_VERSION v0_1
#endif
#define FLOWGRAPH_ABI \
  FLOWGRAPH_JOIN(FLOWGRAPH_ABI_VERSION, FLOWGRAPH_ABI_BUILD, FLOWGRAPH_ABI_GRADIENTS, FLOWGRAPH_ABI_ERRORS, FLOWGRAPH_ABI_THREADS)

#if defined(__GNUC__) || defined(__clang__)
#define FLOWGRAPH_COLD [[gnu::cold]]
#define FLOWGRAPH_ALWAYS_INLINE [[gnu::always_inline]] inline
#define FLOWGRAPH_NOT_INLINED [[gnu::noinline]] FLOWGRAPH_INLINE
#define FLOWGRAPH_FETCH(address) __builtin_prefetch(address)
#else
#define FLOWGRAPH_COLD
#define FLOWGRAPH_ALWAYS_INLINE inline
#define FLOWGRAPH_NOT_INLINED FLOWGRAPH_INLINE
#define FLOWGRAPH_FETCH(address) static_cast<void>(address)
#endif
