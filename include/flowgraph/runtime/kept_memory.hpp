#pragma once
// A memory resource that keeps what comes back for whoever asks for as much again: what runs a step many times, say.

#include <flowgraph/core/memory.hpp>
#include <flowgraph/core/threads.hpp>

#include <array>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Any thread may use it. Its maker closes it; it goes when the last block has come back as well, so tensors may outlive the step
// whose memory they lie in.
class kept_memory final : public std::pmr::memory_resource {
public:
  static kept_memory* make(std::pmr::memory_resource* from) { return new kept_memory(from); }
  void close() noexcept;

  // Gives back what has lain idle for many rounds: to be called after each.
  void end_round() noexcept;

  // In use and idle.
  std::size_t blocks() const noexcept;
  std::size_t bytes() const noexcept;

private:
  struct idle_block {
    idle_block* next;
  };
  // The idle blocks of one size. The fewest that there were in a while are those that nobody needs.
  struct shelf {
    idle_block* first = nullptr;
    std::size_t count = 0, fewest = 0;
  };
  static constexpr std::size_t alignment = 64;
  static constexpr int most_digits = sizeof(std::size_t) > 4 ? 40 : 31;
  static constexpr std::size_t largest = std::size_t{1} << most_digits;  // no block beyond is kept
  static constexpr std::size_t shelves_a_doubling = 8, doublings = most_digits - 7;
  static constexpr unsigned rounds_in_a_while = 64;

  explicit kept_memory(std::pmr::memory_resource* from) noexcept : from_(from) {}
  ~kept_memory() override = default;

  static bool is_kept(std::size_t bytes, std::size_t wanted_alignment) noexcept {
    return bytes <= largest && wanted_alignment <= alignment;
  }
  static std::size_t shelf_of(std::size_t bytes) noexcept;
  static std::size_t size_of_shelf(std::size_t index) noexcept;
  void* take(std::size_t index) noexcept;
  void* ask(std::size_t bytes) noexcept;
  void give_back(std::size_t index, std::size_t count) noexcept;
  bool give_back_all() noexcept;  // whether there was anything

  FLOWGRAPH_INLINE void* do_allocate(std::size_t bytes, std::size_t wanted_alignment) override;
  FLOWGRAPH_INLINE void do_deallocate(void* p, std::size_t bytes, std::size_t wanted_alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::pmr::memory_resource* from_;
  mutable threading::mutex mutex_;
  std::array<shelf, shelves_a_doubling * doublings> shelves_{};
  std::size_t blocks_ = 0, bytes_ = 0;
  std::size_t in_use_ = 0;  // blocks
  unsigned rounds_ = 0;
  bool is_closed_ = false;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/impl/kept_memory.hpp>
#endif
