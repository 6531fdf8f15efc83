#pragma once
// Counts the allocations and releases of a test program, by replaced global operators. One source of a program includes it.
// REPLACES_NEW is 0 if they cannot be replaced.

#include "sanitized.hpp"

#include <flowgraph/config.hpp>

#include <cstddef>
#include <cstdlib>
#include <new>

// ThreadSanitizer has operators of its own, which cannot be replaced.
#define REPLACES_NEW !SEES_THREADS

#if REPLACES_NEW

namespace {

thread_local bool counting = false;
thread_local std::size_t allocations = 0, releases = 0;

#ifdef _WIN32
void* aligned_memory(std::size_t bytes, std::size_t alignment) { return _aligned_malloc(bytes, alignment); }
void give_back(void* p) { _aligned_free(p); }
#else
void* aligned_memory(std::size_t bytes, std::size_t alignment) {
  return alignment <= alignof(std::max_align_t) ? std::malloc(bytes) : std::aligned_alloc(alignment, bytes);
}
void give_back(void* p) { std::free(p); }
#endif

void release_memory(void* p) {
  if (counting) ++releases;
  give_back(p);
}

void* counted_memory(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
  if (counting) ++allocations;
  bytes = (bytes + alignment - 1) / alignment * alignment;
  if (bytes == 0) bytes = alignment;
  return aligned_memory(bytes, alignment);
}
void* counted_memory_or_throw(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
  if (void* p = counted_memory(bytes, alignment)) return p;
#ifdef FLOWGRAPH_EXCEPTIONS
  throw std::bad_alloc();
#else
  std::abort();
#endif
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t n) { return counted_memory_or_throw(n); }
[[gnu::noinline]] void* operator new[](std::size_t n) { return counted_memory_or_throw(n); }
[[gnu::noinline]] void* operator new(std::size_t n, std::align_val_t a) {
  return counted_memory_or_throw(n, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void* operator new[](std::size_t n, std::align_val_t a) {
  return counted_memory_or_throw(n, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return counted_memory(n); }
[[gnu::noinline]] void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return counted_memory(n); }
[[gnu::noinline]] void operator delete(void* p) noexcept { release_memory(p); }
[[gnu::noinline]] void operator delete[](void* p) noexcept { release_memory(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { release_memory(p); }
[[gnu::noinline]] void operator delete[](void* p, std::size_t) noexcept { release_memory(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { release_memory(p); }
[[gnu::noinline]] void operator delete[](void* p, std::align_val_t) noexcept { release_memory(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release_memory(p); }
[[gnu::noinline]] void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { release_memory(p); }

namespace {

template <class F> std::size_t allocations_in(F&& f) {
  allocations = releases = 0;
  counting = true;
  f();
  counting = false;
  return allocations;
}

}  // namespace

#endif
