#pragma once

#include <flowgraph/runtime/kept_memory.hpp>

#include <algorithm>
#include <bit>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Sizes are rounded up to one of eight in each doubling: at most an eighth is more than was asked for.
FLOWGRAPH_INLINE std::size_t kept_memory::shelf_of(std::size_t bytes) noexcept {
  const std::size_t units = std::max<std::size_t>((bytes + alignment - 1) / alignment, 1);
  if (units <= shelves_a_doubling) return units - 1;
  const auto doubling = static_cast<std::size_t>(std::bit_width(units - 1)) - 3;  // units - 1 has four digits above these
  const std::size_t digits = (units - 1) >> (doubling - 1);
  return shelves_a_doubling * (doubling - 1) + digits;
}

FLOWGRAPH_INLINE std::size_t kept_memory::size_of_shelf(std::size_t index) noexcept {
  if (index < shelves_a_doubling) return (index + 1) * alignment;
  const std::size_t doubling = index / shelves_a_doubling, digits = index % shelves_a_doubling + shelves_a_doubling;
  return ((digits + 1) << (doubling - 1)) * alignment;
}

FLOWGRAPH_INLINE std::size_t kept_memory::blocks() const noexcept {
  threading::lock_guard lock(mutex_);
  return blocks_;
}

FLOWGRAPH_INLINE std::size_t kept_memory::bytes() const noexcept {
  threading::lock_guard lock(mutex_);
  return bytes_;
}

FLOWGRAPH_INLINE void* kept_memory::take(std::size_t index) noexcept {
  shelf& s = shelves_[index];
  idle_block* block = s.first;
  if (!block) return nullptr;
  s.first = block->next;
  s.fewest = std::min(s.fewest, --s.count);
  return block;
}

// Null: there is none, not even with what lay idle on other shelves.
FLOWGRAPH_INLINE void* kept_memory::ask(std::size_t bytes) noexcept {
  void* const made = detail::allocate_or_null(from_, bytes, alignment);
  return made || !give_back_all() ? made : detail::allocate_or_null(from_, bytes, alignment);
}

FLOWGRAPH_INLINE void* kept_memory::do_allocate(std::size_t bytes, std::size_t wanted_alignment) {
  threading::lock_guard lock(mutex_);
  if (!is_kept(bytes, wanted_alignment)) {
    void* const made = detail::allocate_or_null(from_, bytes, wanted_alignment);
    if (!made) return detail::refuse_memory();
    ++in_use_;
    return made;
  }
  const std::size_t index = shelf_of(bytes);
  void* made = take(index);
  if (!made) {
    made = ask(size_of_shelf(index));
    if (!made) return detail::refuse_memory();
    ++blocks_;
    bytes_ += size_of_shelf(index);
  }
  ++in_use_;
  return made;
}

FLOWGRAPH_INLINE void kept_memory::do_deallocate(void* p, std::size_t bytes, std::size_t wanted_alignment) {
  bool is_last = false;
  {
    threading::lock_guard lock(mutex_);
    if (is_kept(bytes, wanted_alignment)) {
      const std::size_t of = shelf_of(bytes);
      shelves_[of].first = new (p) idle_block{shelves_[of].first};
      ++shelves_[of].count;
      if (is_closed_) give_back(of, 1);
    } else {
      from_->deallocate(p, bytes, wanted_alignment);
    }
    is_last = --in_use_ == 0 && is_closed_;
  }
  if (is_last) delete this;
}

FLOWGRAPH_INLINE void kept_memory::give_back(std::size_t index, std::size_t count) noexcept {
  for (; count > 0; --count) {
    from_->deallocate(take(index), size_of_shelf(index), alignment);
    --blocks_;
    bytes_ -= size_of_shelf(index);
  }
}

FLOWGRAPH_INLINE bool kept_memory::give_back_all() noexcept {
  const std::size_t before = blocks_;
  for (std::size_t s = 0; s < shelves_.size(); ++s) give_back(s, shelves_[s].count);
  return blocks_ < before;
}

FLOWGRAPH_INLINE void kept_memory::end_round() noexcept {
  threading::lock_guard lock(mutex_);
  if (++rounds_ % rounds_in_a_while != 0) return;
  for (std::size_t s = 0; s < shelves_.size(); ++s) {
    give_back(s, shelves_[s].fewest);
    shelves_[s].fewest = shelves_[s].count;
  }
}

FLOWGRAPH_INLINE void kept_memory::close() noexcept {
  bool is_last = false;
  {
    threading::lock_guard lock(mutex_);
    give_back_all();
    is_closed_ = true;
    is_last = in_use_ == 0;
  }
  if (is_last) delete this;
}

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
