#pragma once
// Counts the heap allocations of all threads of a test program together, also in libraries that do not use C++: it replaces the
// functions of the C library. One source of a program includes it. COUNTS_THREADS is 0 if they cannot be replaced.

#include "sanitized.hpp"

#include <flowgraph/config.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

// Sanitizers have a heap of their own. C libraries other than glibc do not allow a replacement.
#if defined(__GLIBC__) && !(SEES_ADDRESSES || SEES_THREADS)
#define COUNTS_THREADS 1
#else
#define COUNTS_THREADS 0
#endif

#if COUNTS_THREADS

#include <malloc.h>

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* block, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* block);
}

namespace counted_threads {

// Since the start of the program. Bytes are the sizes that the heap allocated.
inline std::atomic<std::int64_t> made{0}, alive{0}, alive_bytes{0};
// Called during an allocation, to find its caller. It must not allocate.
inline std::atomic<void (*)(std::size_t)> on_each{nullptr};

inline void* count(void* taken, std::size_t bytes) {
  if (taken == nullptr) return nullptr;
  made.fetch_add(1, std::memory_order_relaxed);
  alive.fetch_add(1, std::memory_order_relaxed);
  alive_bytes.fetch_add(static_cast<std::int64_t>(malloc_usable_size(taken)), std::memory_order_relaxed);
  if (const auto look = on_each.load(std::memory_order_relaxed)) look(bytes);
  return taken;
}
inline void uncount(void* given_back) {
  if (given_back == nullptr) return;
  alive.fetch_sub(1, std::memory_order_relaxed);
  alive_bytes.fetch_sub(static_cast<std::int64_t>(malloc_usable_size(given_back)), std::memory_order_relaxed);
}

}  // namespace counted_threads

extern "C" {
void* malloc(std::size_t bytes) noexcept { return counted_threads::count(__libc_malloc(bytes), bytes); }
void* calloc(std::size_t count, std::size_t bytes) noexcept {
  return counted_threads::count(__libc_calloc(count, bytes), count * bytes);
}
void* realloc(void* block, std::size_t bytes) noexcept {
  counted_threads::uncount(block);
  return counted_threads::count(__libc_realloc(block, bytes), bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return counted_threads::count(__libc_memalign(alignment, bytes), bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept { return memalign(alignment, bytes); }
void free(void* block) noexcept {
  counted_threads::uncount(block);
  __libc_free(block);
}
}

#endif
