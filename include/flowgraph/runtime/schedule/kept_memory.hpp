#pragma once
// A memory resource that caches freed blocks by size, for code that allocates the same sizes again and again, such as the steps
// of a training.

#include <flowgraph/core/memory.hpp>
#include <flowgraph/core/threads.hpp>

#include <array>
#include <atomic>
#include <cstddef>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Any thread may use it, without a lock. Within a round, the thread that began the round allocates and frees without
// synchronization. Blocks that other threads free, or that are freed between rounds, wait in a list for the next round. The
// creator closes the resource. It is deleted when all blocks have been freed as well, so tensors may outlive the step whose
// memory they use.
class kept_memory final : public std::pmr::memory_resource {
public:
  static kept_memory* make(std::pmr::memory_resource* from) { return new kept_memory(from); }
  // Precondition of this function and the next two: no round is in progress on another thread.
  void close() noexcept;

  void begin_round() noexcept;
  // Ends a round. If `all_seen` is true, frees blocks that were not used for many rounds; it means that all kinds of rounds that
  // will recur have been executed. Returns whether a new period of observation begins.
  bool end_round(bool all_seen = true) noexcept;

  // Number and size of all blocks, in use or idle.
  std::size_t blocks() const noexcept { return blocks_.load(std::memory_order_relaxed); }
  std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

private:
  struct idle_block {
    idle_block* next;
    std::size_t shelf;
  };
  // The idle blocks of one size. The smallest number of idle blocks in a period is the number that is not needed.
  struct shelf {
    idle_block* first = nullptr;
    std::size_t count = 0, fewest = 0;
  };
  static constexpr std::size_t alignment = 64;
  static constexpr int most_digits = sizeof(std::size_t) > 4 ? 40 : 31;
  static constexpr std::size_t largest = std::size_t{1} << most_digits;  // larger blocks are not kept
  static constexpr std::size_t shelves_a_doubling = 8, doublings = most_digits - 7;
  static constexpr unsigned rounds_in_a_while = 64;

  explicit kept_memory(std::pmr::memory_resource* from) noexcept : from_(from) {}
  ~kept_memory() override = default;

  static bool is_kept(std::size_t bytes, std::size_t wanted_alignment) noexcept {
    return bytes <= largest && wanted_alignment <= alignment;
  }
  static std::size_t shelf_of(std::size_t bytes) noexcept;
  static std::size_t size_of_shelf(std::size_t index) noexcept;
  // Returns whether the calling thread owns the round. Only that thread writes its own identifier to `owner_`.
  bool is_owner() const noexcept { return owner_.load(std::memory_order_relaxed) == threading::this_thread::get_id(); }
  void put(idle_block* block) noexcept;
  void* take(std::size_t index) noexcept;
  void collect() noexcept;
  void* ask(std::size_t bytes, bool is_of_round) noexcept;
  void return_block(void* p, std::size_t index) noexcept;
  void give_back(std::size_t index, std::size_t count) noexcept;
  bool give_back_all() noexcept;  // returns whether blocks were freed
  void drop(std::ptrdiff_t holds) noexcept;
  idle_block* closed() noexcept { return &closed_; }

  FLOWGRAPH_INLINE void* do_allocate(std::size_t bytes, std::size_t wanted_alignment) override;
  FLOWGRAPH_INLINE void do_deallocate(void* p, std::size_t bytes, std::size_t wanted_alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::pmr::memory_resource* from_;
  std::atomic<threading::thread::id> owner_{};  // the thread whose round is in progress
  std::array<shelf, shelves_a_doubling * doublings> shelves_{};
  std::atomic<std::size_t> blocks_{0}, bytes_{0};
  std::ptrdiff_t out_ = 0;  // blocks that the owner allocated and did not free; negative if it freed blocks of other threads
  unsigned rounds_ = 0;
  std::atomic<idle_block*> returned_{nullptr};  // blocks freed by other threads or between rounds; closed() at the end
  std::atomic<std::ptrdiff_t> holds_{1};        // counts the creator, and blocks that out_ does not count
  idle_block closed_{};
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/schedule/impl/kept_memory.hpp>
#endif
