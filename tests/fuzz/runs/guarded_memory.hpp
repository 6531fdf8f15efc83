#pragma once
// Memory in which whoever leaves a tensor's pages, by its end or by its beginning, is stopped at once, and so is who reads what has
// been given back: each block has pages of its own between two that nobody may touch, and lies at the end or at the beginning of them
// by turns.

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>

namespace fuzz_runs {

class guarded_memory final : public std::pmr::memory_resource {
  static constexpr std::size_t page = 4096;

  static std::size_t pages_for(std::size_t bytes) { return (bytes + page - 1) / page * page; }

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    const std::size_t inside = pages_for(bytes + 1);
    void* const all = ::mmap(nullptr, inside + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    auto* const first = static_cast<std::byte*>(all) + page;
    if (::mprotect(first, inside, PROT_READ | PROT_WRITE) != 0) {
      ::munmap(all, inside + 2 * page);
      throw std::bad_alloc();
    }
    at_end_ = !at_end_;
    const std::size_t last = (inside - bytes) / alignment * alignment;
    return at_end_ && last % page != 0 ? first + last : first;  // what begins a page begins the first one: so it is given back
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t) override {
    const std::size_t inside = pages_for(bytes + 1);
    const auto at = reinterpret_cast<std::uintptr_t>(p);
    const std::size_t before = at % page == 0 ? 0 : inside - (at + bytes + page - 1) / page * page + at;
    ::munmap(static_cast<std::byte*>(p) - before - page, inside + 2 * page);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  bool at_end_ = false;
};

}  // namespace fuzz_runs
