#pragma once
// Memory that the host does not touch, as that of a GPU: addresses name it, and only the device that it belongs to reads and writes
// there. What is asked for here is done later, in an order that keeps every result: copies and kernels of one device see what was
// asked for before them.

#include <flowgraph/core/error.hpp>

#include <atomic>
#include <cstring>
#include <memory_resource>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Copies elements that are plain bytes, wherever they lie; `from` and `to` are the memories of the two addresses.
void copy_between(std::pmr::memory_resource* source, const void* from, std::pmr::memory_resource* target, void* to,
                  std::size_t bytes);

}  // namespace detail

// Blocks are handed out and taken back at once. A block that comes back may still be in use by what was asked for before: whoever
// gets it next asks for work that comes after. Any thread may use it. Outlives its buffers.
class far_memory : public std::pmr::memory_resource {
public:
  far_memory() noexcept { rules_.store(&rules_of_far, std::memory_order_relaxed); }
  far_memory(const far_memory&) = delete;
  far_memory& operator=(const far_memory&) = delete;

  // `host` may change as soon as this returns.
  virtual void copy_in(const void* host, void* here, std::size_t bytes) = 0;
  // Waits until the elements are at `host`.
  virtual void copy_out(const void* here, void* host, std::size_t bytes) = 0;
  virtual void copy_within(const void* from, void* to, std::size_t bytes) = 0;
  // From another far memory, which may be of another kind: by way of the host unless the two know each other.
  virtual void copy_from(far_memory& other, const void* there, void* here, std::size_t bytes) = 0;
  // Waits until all that was asked for is done; the first failure since the last time.
  virtual error finish() = 0;

  // `memory` if it is far; null: the host reads and writes there.
  static far_memory* from(std::pmr::memory_resource* memory) noexcept {
    const rules* const known = known_rules();
    return known ? known->find(memory) : nullptr;
  }

private:
  friend void detail::copy_between(std::pmr::memory_resource* source, const void* from, std::pmr::memory_resource* target,
                                   void* to, std::size_t bytes);

  // Functions that only a program with far memory links: its constructor names them.
  struct rules {
    far_memory* (*find)(std::pmr::memory_resource* memory) noexcept;
    void (*copy)(std::pmr::memory_resource* source, const void* from, std::pmr::memory_resource* target, void* to,
                 std::size_t bytes);
  };
  // Null before the program's first far memory is made.
  static const rules* known_rules() noexcept { return rules_.load(std::memory_order_relaxed); }

  // No memory equals this one but far ones: that is how they are told apart, without run-time type information.
  struct sign final : std::pmr::memory_resource {
    void* do_allocate(std::size_t, std::size_t) override { return nullptr; }
    void do_deallocate(void*, std::size_t, std::size_t) override {}
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
  };
  static const sign& sign_of_all() noexcept {
    static const sign one;
    return one;
  }
  static far_memory* find(std::pmr::memory_resource* memory) noexcept {
    return memory && memory->is_equal(sign_of_all()) ? static_cast<far_memory*>(memory) : nullptr;
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept final {
    return this == &other || &other == &sign_of_all();
  }

  static void copy(std::pmr::memory_resource* source, const void* from, std::pmr::memory_resource* target, void* to,
                   std::size_t bytes) {
    far_memory* const far_source = find(source);
    far_memory* const far_target = find(target);
    if (!far_source && !far_target) std::memcpy(to, from, bytes);
    else if (!far_source) far_target->copy_in(from, to, bytes);
    else if (!far_target) far_source->copy_out(from, to, bytes);
    else if (far_source == far_target) far_target->copy_within(from, to, bytes);
    else far_target->copy_from(*far_source, from, to, bytes);
  }

  static constexpr rules rules_of_far{&find, &copy};
  static inline std::atomic<const rules*> rules_{nullptr};
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/core/impl/far_memory.hpp>
#endif
