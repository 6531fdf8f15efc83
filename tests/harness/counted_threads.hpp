#pragma once
// Counts what all threads of a test program allocate together, by replaced global operators: one source of a program includes it. COUNTS_THREADS
// is 0 where that cannot be.

#include "sanitized.hpp"

#include <flowgraph/config.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <malloc.h>

// Sanitizers bring operators of their own.
#define COUNTS_THREADS !(SEES_ADDRESSES || SEES_THREADS)

#if COUNTS_THREADS

namespace counted_threads {

// Since the program began; bytes as the heap gives them.
inline std::atomic<std::int64_t> made{0}, alive{0}, alive_bytes{0};
// Called in the middle of an allocation, to look where it comes from. Allocates nothing itself.
inline std::atomic<void (*)(std::size_t)> on_each{nullptr};

inline void* take(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
  bytes = (bytes + alignment - 1) / alignment * alignment;
  if (bytes == 0) bytes = alignment;
  void* const p = alignment <= alignof(std::max_align_t) ? std::malloc(bytes) : std::aligned_alloc(alignment, bytes);
  if (p == nullptr) std::abort();
  made.fetch_add(1, std::memory_order_relaxed);
  alive.fetch_add(1, std::memory_order_relaxed);
  alive_bytes.fetch_add(static_cast<std::int64_t>(malloc_usable_size(p)), std::memory_order_relaxed);
  if (const auto look = on_each.load(std::memory_order_relaxed)) look(bytes);
  return p;
}
inline void give_back(void* p) noexcept {
  if (p == nullptr) return;
  alive.fetch_sub(1, std::memory_order_relaxed);
  alive_bytes.fetch_sub(static_cast<std::int64_t>(malloc_usable_size(p)), std::memory_order_relaxed);
  std::free(p);
}

}  // namespace counted_threads

[[gnu::noinline]] void* operator new(std::size_t n) { return counted_threads::take(n); }
[[gnu::noinline]] void* operator new[](std::size_t n) { return counted_threads::take(n); }
[[gnu::noinline]] void* operator new(std::size_t n, std::align_val_t a) {
  return counted_threads::take(n, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void* operator new[](std::size_t n, std::align_val_t a) {
  return counted_threads::take(n, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return counted_threads::take(n); }
[[gnu::noinline]] void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return counted_threads::take(n); }
[[gnu::noinline]] void operator delete(void* p) noexcept { counted_threads::give_back(p); }
[[gnu::noinline]] void operator delete[](void* p) noexcept { counted_threads::give_back(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { counted_threads::give_back(p); }
[[gnu::noinline]] void operator delete[](void* p, std::size_t) noexcept { counted_threads::give_back(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { counted_threads::give_back(p); }
[[gnu::noinline]] void operator delete[](void* p, std::align_val_t) noexcept { counted_threads::give_back(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { counted_threads::give_back(p); }
[[gnu::noinline]] void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { counted_threads::give_back(p); }

#endif
