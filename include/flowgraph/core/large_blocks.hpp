#pragma once
// A memory resource that keeps freed large blocks, so that each run of a session uses the blocks of the run before. The heap gives
// large blocks back to the system, and their next user gets them with new pages.

#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/threads.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Any thread may use it. A request takes the smallest idle block that is large enough and at most four times as large. A new block
// is requested only after idle blocks have been freed, until all blocks together are at most a quarter larger than the largest sum
// of blocks in use. The creator closes the resource. It is deleted when all blocks have been freed as well, so tensors may outlive
// their session.
class large_blocks final : public large_memory, public spare_memory {
public:
  // Sanitizers find uses of freed memory only if the memory is given back.
#if defined(__SANITIZE_ADDRESS__)
  static constexpr bool is_useful = false;
#elif defined(__has_feature)
  static constexpr bool is_useful = !__has_feature(address_sanitizer) && !__has_feature(memory_sanitizer);
#else
  static constexpr bool is_useful = true;
#endif

  // Creates a resource that gets its blocks from `source`, which must outlive them.
  static large_blocks* make(std::pmr::memory_resource* source) { return new large_blocks(source); }
  void close() noexcept;

  // Frees the idle blocks. Returns their bytes.
  FLOWGRAPH_INLINE std::size_t free_idle() noexcept override;
  // Returns the bytes of the idle blocks.
  std::size_t idle_bytes() const noexcept;

private:
  static constexpr std::size_t alignment = 64, most_waste = 4;
  // Precedes the memory of a block.
  struct alignas(alignment) block {
    std::size_t bytes;  // with the header
  };

  explicit large_blocks(std::pmr::memory_resource* source) noexcept : large_memory(source) {}
  ~large_blocks() override = default;

  block** place_of(std::size_t bytes) noexcept;
  block* take(std::size_t bytes) noexcept;
  block* request(std::size_t bytes);
  void free_beyond(std::size_t most) noexcept;
  FLOWGRAPH_INLINE void* do_allocate(std::size_t bytes, std::size_t wanted_alignment) override;
  FLOWGRAPH_INLINE void do_deallocate(void* p, std::size_t bytes, std::size_t wanted_alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  mutable threading::mutex mutex_;  // guards the following members
  detail::sequence<block*> idle_;   // ordered by size; has room for all blocks
  std::size_t blocks_ = 0, bytes_ = 0, idle_bytes_ = 0, most_in_use_ = 0;
  bool is_closed_ = false;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/core/impl/large_blocks.hpp>
#endif
