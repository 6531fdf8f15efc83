#pragma once

#include <flowgraph/runtime/schedule/kept_memory.hpp>

#include <algorithm>
#include <bit>
#include <utility>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns the shelf of a size. There are eight sizes per doubling, so a block is at most an eighth larger than requested.
FLOWGRAPH_INLINE std::size_t kept_memory::shelf_of(std::size_t bytes) noexcept {
  const std::size_t units = std::max<std::size_t>((bytes + alignment - 1) / alignment, 1);
  if (units <= shelves_a_doubling) return units - 1;
  const auto doubling = static_cast<std::size_t>(std::bit_width(units - 1)) - 3;  // units - 1 has four binary digits from here up
  const std::size_t digits = (units - 1) >> (doubling - 1);
  return shelves_a_doubling * (doubling - 1) + digits;
}

FLOWGRAPH_INLINE std::size_t kept_memory::size_of_shelf(std::size_t index) noexcept {
  if (index < shelves_a_doubling) return (index + 1) * alignment;
  const std::size_t doubling = index / shelves_a_doubling, digits = index % shelves_a_doubling + shelves_a_doubling;
  return ((digits + 1) << (doubling - 1)) * alignment;
}

FLOWGRAPH_INLINE void kept_memory::put(idle_block* block) noexcept {
  shelf& s = shelves_[block->shelf];
  block->next = s.first;
  s.first = block;
  ++s.count;
  --out_;
}

FLOWGRAPH_INLINE void* kept_memory::take(std::size_t index) noexcept {
  shelf& s = shelves_[index];
  idle_block* block = s.first;
  if (!block) return nullptr;
  s.first = block->next;
  s.fewest = std::min(s.fewest, --s.count);
  ++out_;
  return block;
}

// Puts blocks that other threads have returned on their shelves.
FLOWGRAPH_INLINE void kept_memory::collect() noexcept {
  if (!returned_.load(std::memory_order_relaxed)) return;
  for (idle_block* block = returned_.exchange(nullptr, std::memory_order_acquire); block;) put(std::exchange(block, block->next));
}

// Allocates a new block. If there is no memory, gives back the idle blocks of all shelves and tries again; then returns null.
FLOWGRAPH_INLINE void* kept_memory::ask(std::size_t bytes, bool is_of_round) noexcept {
  void* result = detail::allocate_or_null(from_, bytes, alignment);
  if (!result && is_of_round && give_back_all()) result = detail::allocate_or_null(from_, bytes, alignment);
  if (!result) return nullptr;
  blocks_.fetch_add(1, std::memory_order_relaxed);
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (is_of_round) ++out_;
  else holds_.fetch_add(1, std::memory_order_relaxed);
  return result;
}

FLOWGRAPH_INLINE void* kept_memory::do_allocate(std::size_t bytes, std::size_t wanted_alignment) {
  if (!is_kept(bytes, wanted_alignment)) [[unlikely]] {
    void* const result = detail::allocate_or_null(from_, bytes, wanted_alignment);
    if (!result) return detail::refuse_memory();
    holds_.fetch_add(1, std::memory_order_relaxed);
    return result;
  }
  const std::size_t index = shelf_of(bytes);
  const bool is_of_round = is_owner();
  void* result = nullptr;
  if (is_of_round && !(result = take(index))) {
    collect();
    result = take(index);
  }
  if (!result) result = ask(size_of_shelf(index), is_of_round);
  return result ? result : detail::refuse_memory();
}

FLOWGRAPH_INLINE void kept_memory::do_deallocate(void* p, std::size_t bytes, std::size_t wanted_alignment) {
  if (!is_kept(bytes, wanted_alignment)) [[unlikely]] {
    from_->deallocate(p, bytes, wanted_alignment);
    drop(1);
  } else if (const std::size_t index = shelf_of(bytes); is_owner()) {
    put(new (p) idle_block{nullptr, index});
  } else {
    return_block(p, index);
  }
}

// Returns a block from another thread. The block waits for the next round, or goes back to the source memory if this object is
// closed.
FLOWGRAPH_INLINE void kept_memory::return_block(void* p, std::size_t index) noexcept {
  idle_block* const block = new (p) idle_block{returned_.load(std::memory_order_acquire), index};
  while (block->next != closed())
    if (returned_.compare_exchange_weak(block->next, block, std::memory_order_release, std::memory_order_acquire)) return;
  from_->deallocate(p, size_of_shelf(index), alignment);
  drop(1);
}

FLOWGRAPH_INLINE void kept_memory::give_back(std::size_t index, std::size_t count) noexcept {
  for (; count > 0; --count) {
    from_->deallocate(take(index), size_of_shelf(index), alignment);
    --out_;
    blocks_.fetch_sub(1, std::memory_order_relaxed);
    bytes_.fetch_sub(size_of_shelf(index), std::memory_order_relaxed);
  }
}

FLOWGRAPH_INLINE bool kept_memory::give_back_all() noexcept {
  collect();
  const std::size_t before = blocks();
  for (std::size_t s = 0; s < shelves_.size(); ++s) give_back(s, shelves_[s].count);
  return blocks() < before;
}

FLOWGRAPH_INLINE void kept_memory::begin_round() noexcept {
  owner_.store(threading::this_thread::get_id(), std::memory_order_relaxed);
  collect();
}

FLOWGRAPH_INLINE bool kept_memory::end_round(bool all_seen) noexcept {
  const bool ends_a_while = ++rounds_ >= rounds_in_a_while && all_seen;
  if (ends_a_while) {
    rounds_ = 0;
    for (std::size_t s = 0; s < shelves_.size(); ++s) {
      give_back(s, shelves_[s].fewest);
      shelves_[s].fewest = shelves_[s].count;
    }
  }
  owner_.store(threading::thread::id(), std::memory_order_relaxed);
  return ends_a_while;
}

FLOWGRAPH_INLINE void kept_memory::drop(std::ptrdiff_t holds) noexcept {
  if (holds_.fetch_sub(holds, std::memory_order_acq_rel) == holds) delete this;
}

// Counts every block in use as a hold before the list is closed. From then on, each block that is returned drops its own hold.
FLOWGRAPH_INLINE void kept_memory::close() noexcept {
  give_back_all();
  holds_.fetch_add(out_, std::memory_order_relaxed);
  std::ptrdiff_t dropped = 1;
  for (idle_block* block = returned_.exchange(closed(), std::memory_order_acq_rel); block; ++dropped) {
    idle_block* const next = block->next;
    from_->deallocate(block, size_of_shelf(block->shelf), alignment);
    block = next;
  }
  drop(dropped);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
