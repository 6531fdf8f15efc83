#pragma once
// Counts what a program allocates. It replaces the global operators: one source of a program may include it.

#include <cstddef>
#include <cstdlib>
#include <new>

static int allocations = 0;

static void* counted(void* p) {
  ++allocations;
  if (p == nullptr) std::abort();
  return p;
}
[[gnu::noinline]] void* operator new(std::size_t bytes) { return counted(std::malloc(bytes)); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto whole = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(whole, (bytes + whole - 1) / whole * whole));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
