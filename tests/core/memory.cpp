#include <flowgraph/core/memory.hpp>

#include "memory.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>

namespace fg = flowgraph;

TEST_CASE("memory: a resource that has some gives it, aligned as asked") {
  test::counting_memory memory;
  void* const p = fg::detail::allocate_or_null(&memory, 100, 256);
  REQUIRE(p != nullptr);
  CHECK(reinterpret_cast<std::uintptr_t>(p) % 256 == 0);
  CHECK(memory.in_use() == 100);
  memory.deallocate(p, 100, 256);
  CHECK(memory.in_use() == 0);
}

TEST_CASE("memory: a resource that has none is a null pointer, with exceptions and without") {
  test::refusing_memory none;
  CHECK(fg::detail::allocate_or_null(&none, 1) == nullptr);
#ifdef FLOWGRAPH_EXCEPTIONS
  CHECK(fg::detail::allocate_or_null(std::pmr::null_memory_resource(), 8) == nullptr);
#endif
}

namespace {

// Has memory for one block at a time.
class one_block final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t, std::size_t) override {
    return std::exchange(taken_, true) ? fg::detail::refuse_memory() : block_;
  }
  void do_deallocate(void*, std::size_t, std::size_t) override { taken_ = false; }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  bool taken_ = false;
  alignas(std::max_align_t) std::byte block_[64];
};

}  // namespace

TEST_CASE("memory: what a resource of the library refuses, its users find refused") {
  one_block memory;
  void* const first = fg::detail::allocate_or_null(&memory, 8);
  CHECK(first != nullptr);
  CHECK(fg::detail::allocate_or_null(&memory, 8) == nullptr);
  memory.deallocate(first, 8);
  CHECK(fg::detail::allocate_or_null(&memory, 8) == first);
}
