#pragma once
// Memory resources that a test can ask: one that counts what is out, one that refuses.

#include <atomic>
#include <cstddef>
#include <memory_resource>
#include <new>

namespace test {

class counting_memory final : public std::pmr::memory_resource {
public:
  std::size_t in_use() const { return in_use_; }
  std::size_t allocations() const { return allocations_; }

private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    in_use_ += bytes;
    ++allocations_;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    in_use_ -= bytes;
    std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::atomic<std::size_t> in_use_{0}, allocations_{0};
};

class refusing_memory final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t, std::size_t) override {
#ifdef __cpp_exceptions
    throw std::bad_alloc();
#else
    return nullptr;
#endif
  }
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

}  // namespace test
