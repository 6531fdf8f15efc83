#pragma once
// Memory that the host cannot access, such as the memory of a GPU: only the device that the memory belongs to reads and writes it.
// Operations are asynchronous, but their order keeps all results correct: copies and kernels of one device see the effects of all
// operations that were requested before them.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/function.hpp>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory_resource>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Copies elements that are plain bytes from any memory to any other memory. The address `from` is in the memory `source`, and the
// address `to` is in the memory `target`. Returns an error if the elements on the host are not valid.
error copy_between(std::pmr::memory_resource* source, const void* from, std::pmr::memory_resource* target, void* to,
                   std::size_t bytes);

}  // namespace detail

// The memory of a device that the host cannot access. Blocks are allocated and freed immediately. Earlier operations may still use
// a freed block; operations of the next user of the block are executed after them. Any thread may use the memory. The memory must
// outlive its buffers.
class far_memory : public std::pmr::memory_resource {
public:
  far_memory() noexcept { rules_.store(&rules_of_far, std::memory_order_relaxed); }
  far_memory(const far_memory&) = delete;
  far_memory& operator=(const far_memory&) = delete;

  // Copies from the host. `host` may change as soon as this function returns.
  virtual void copy_in(const void* host, void* here, std::size_t bytes) = 0;
  // Copies to the host, and waits until the elements are there. Returns an error if they are not: then `host` may contain anything.
  virtual error copy_out(const void* here, void* host, std::size_t bytes) = 0;
  virtual void copy_within(const void* from, void* to, std::size_t bytes) = 0;
  // Copies from another far memory, which may be of a different kind. The copy passes through the host, unless both memories
  // support a direct copy. Returns an error if the elements did not reach the host.
  virtual error copy_from(far_memory& other, const void* there, void* here, std::size_t bytes) = 0;
  // Waits until all requested operations are done. Returns the first error since the last call.
  virtual error finish() = 0;
  // Returns a mark for finish_since(). A run takes the mark before its first operation.
  virtual std::uint64_t mark() const noexcept { return 0; }
  // As finish(). If another call has returned an error since the mark, returns this error: the operations after the mark may have
  // read wrong elements, or may have changed nothing.
  virtual error finish_since([[maybe_unused]] std::uint64_t mark) { return finish(); }
  // Waits until all operations requested before are done, or until `is_over` returns true. Returns whether they are done. If not,
  // they continue; they access only this memory. A memory that cannot wait in this way returns true at once: then copy_out() and
  // finish() wait until the operations are done.
  virtual bool wait([[maybe_unused]] function_ref<bool()> is_over) { return true; }
  // Returns the alignment in bytes, a power of two, that the kernels of the device require for each tensor. Prepared steps keep it
  // for all tensors of a block; the blocks that the memory allocates must have it too.
  virtual std::size_t alignment() const noexcept { return 64; }

  // Returns `memory` if it is a far memory, or null if the host can access it.
  static far_memory* from(std::pmr::memory_resource* memory) noexcept {
    const rules* const known = known_rules();
    return known ? known->find(memory) : nullptr;
  }

private:
  friend error detail::copy_between(std::pmr::memory_resource* source, const void* from, std::pmr::memory_resource* target,
                                    void* to, std::size_t bytes);

  // Functions that only programs with far memory link, since only the constructor of far_memory refers to them.
  struct rules {
    far_memory* (*find)(std::pmr::memory_resource* memory) noexcept;
    error (*copy)(std::pmr::memory_resource* source, const void* from, std::pmr::memory_resource* target, void* to,
                  std::size_t bytes);
  };
  // Returns null until the program creates its first far memory.
  static const rules* known_rules() noexcept { return rules_.load(std::memory_order_relaxed); }

  // The type of an object that only far memories compare equal to. The object identifies far memories without run-time type
  // information.
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

  static error copy(std::pmr::memory_resource* source, const void* from, std::pmr::memory_resource* target, void* to,
                    std::size_t bytes) {
    far_memory* const far_source = find(source);
    far_memory* const far_target = find(target);
    if (far_source && !far_target) return far_source->copy_out(from, to, bytes);
    if (far_source && far_source != far_target) return far_target->copy_from(*far_source, from, to, bytes);
    if (far_source) far_target->copy_within(from, to, bytes);
    else if (far_target) far_target->copy_in(from, to, bytes);
    else std::memcpy(to, from, bytes);
    return {};
  }

  static constexpr rules rules_of_far{&find, &copy};
  static inline std::atomic<const rules*> rules_{nullptr};
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/core/impl/far_memory.hpp>
#endif
