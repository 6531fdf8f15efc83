#pragma once
// A memory resource that keeps what comes back for whoever asks for as much again: what runs a step many times, say.

#include <flowgraph/core/memory.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Any thread may use it, without a lock. In a round, the thread that began it takes and gives blocks as if it were alone; what comes back
// by other threads, or between rounds, waits in a list for the next round. Its maker closes it; it goes when the last block has come back
// as well, so tensors may outlive the step whose memory they lie in.
class kept_memory final : public std::pmr::memory_resource {
public:
  static kept_memory* make(std::pmr::memory_resource* from) { return new kept_memory(from); }
  // Precondition of this and of those that follow: no round is in progress on another thread.
  void close() noexcept;

  void begin_round() noexcept;
  // Gives back what has lain idle for many rounds, once the maker says that `all_seen`: rounds of all kinds that are to come again.
  // True: from here on a new while begins.
  bool end_round(bool all_seen = true) noexcept;

  // In use and idle.
  std::size_t blocks() const noexcept { return blocks_.load(std::memory_order_relaxed); }
  std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

private:
  struct idle_block {
    idle_block* next;
    std::size_t shelf;
  };
  // The idle blocks of one size. The fewest that there were in a while are those that nobody needs.
  struct shelf {
    idle_block* first = nullptr;
    std::size_t count = 0, fewest = 0;
  };
  static constexpr std::size_t alignment = 64;
  static constexpr std::size_t largest = std::size_t{1} << 40;  // no block beyond is kept
  static constexpr std::size_t shelves_a_doubling = 8, doublings = 33;
  static constexpr unsigned rounds_in_a_while = 64;

  explicit kept_memory(std::pmr::memory_resource* from) noexcept : from_(from) {}
  ~kept_memory() override = default;

  static bool is_kept(std::size_t bytes, std::size_t wanted_alignment) noexcept {
    return bytes <= largest && wanted_alignment <= alignment;
  }
  static std::size_t shelf_of(std::size_t bytes) noexcept;
  static std::size_t size_of_shelf(std::size_t index) noexcept;
  // Only the thread of a round writes its own identifier there, so who finds it is that thread.
  bool is_owner() const noexcept { return owner_.load(std::memory_order_relaxed) == std::this_thread::get_id(); }
  void put(idle_block* block) noexcept;
  void* take(std::size_t index) noexcept;
  void collect() noexcept;
  void* ask(std::size_t bytes, bool is_of_round) noexcept;
  void return_block(void* p, std::size_t index) noexcept;
  void give_back(std::size_t index, std::size_t count) noexcept;
  bool give_back_all() noexcept;  // whether there was anything
  void drop(std::ptrdiff_t holds) noexcept;
  idle_block* closed() noexcept { return &closed_; }

  FLOWGRAPH_INLINE void* do_allocate(std::size_t bytes, std::size_t wanted_alignment) override;
  FLOWGRAPH_INLINE void do_deallocate(void* p, std::size_t bytes, std::size_t wanted_alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::pmr::memory_resource* from_;
  std::atomic<std::thread::id> owner_{};  // whose round is in progress
  std::array<shelf, shelves_a_doubling * doublings> shelves_{};
  std::atomic<std::size_t> blocks_{0}, bytes_{0};
  std::ptrdiff_t out_ =
      0;  // blocks that the owner has given and that have not come back to it: below 0 where others have given some
  unsigned rounds_ = 0;
  std::atomic<idle_block*> returned_{nullptr};  // by other threads and between rounds; closed() at the end
  std::atomic<std::ptrdiff_t> holds_{1};        // its maker's, and of blocks that out_ does not count
  idle_block closed_{};
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/impl/kept_memory.hpp>
#endif
