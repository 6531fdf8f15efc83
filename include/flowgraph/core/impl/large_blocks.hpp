#pragma once

#include <flowgraph/core/buffer.hpp>
#include <flowgraph/core/large_blocks.hpp>

#include <algorithm>
#include <utility>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns the place of the first idle block that is at least this large.
FLOWGRAPH_INLINE large_blocks::block** large_blocks::place_of(std::size_t bytes) noexcept {
  return std::lower_bound(idle_.begin(), idle_.end(), bytes, [](const block* b, std::size_t n) { return b->bytes < n; });
}

// Frees the largest idle blocks while there are more than `most` bytes in blocks.
FLOWGRAPH_INLINE void large_blocks::free_beyond(std::size_t most) noexcept {
  while (bytes_ > most && !idle_.empty()) {
    block* const freed = idle_.back();
    idle_.pop_back();
    --blocks_;
    bytes_ -= freed->bytes;
    idle_bytes_ -= freed->bytes;
    source()->deallocate(freed, freed->bytes, alignment);
  }
}

// Returns an idle block, or makes room for a new one and returns null.
FLOWGRAPH_INLINE large_blocks::block* large_blocks::take(std::size_t bytes) noexcept {
  const threading::lock_guard lock(mutex_);
  block** const found = place_of(bytes);
  if (found != idle_.end() && (*found)->bytes / most_waste <= bytes) {
    block* const taken = *found;
    idle_.erase(found);
    idle_bytes_ -= taken->bytes;
    most_in_use_ = std::max(most_in_use_, bytes_ - idle_bytes_);
    return taken;
  }
  const std::size_t most = std::max(most_in_use_, bytes_ - idle_bytes_ + bytes);
  free_beyond(most + most / 4 - bytes);
  return nullptr;
}

// Requests a new block from the source. The source may be a budget, which calls free_idle(), so the mutex is not locked.
FLOWGRAPH_INLINE large_blocks::block* large_blocks::request(std::size_t bytes) {
  void* result = detail::allocate_or_null(source(), bytes, alignment);
  if (!result && free_idle() > 0) result = detail::allocate_or_null(source(), bytes, alignment);
  if (!result) return nullptr;
  if (bytes >= buffer::large_page && source() == std::pmr::new_delete_resource()) buffer::request_large_pages(result, bytes);
  const threading::lock_guard lock(mutex_);
  idle_.reserve(++blocks_);
  bytes_ += bytes;
  most_in_use_ = std::max(most_in_use_, bytes_ - idle_bytes_);
  return ::new (result) block{bytes};
}

FLOWGRAPH_INLINE void* large_blocks::do_allocate(std::size_t bytes, std::size_t wanted_alignment) {
  const std::size_t whole = bytes + sizeof(block);
  if (whole < bytes || wanted_alignment > alignment) return detail::refuse_memory();
  block* result = take(whole);
  if (!result) result = request(whole);
  return result ? result + 1 : detail::refuse_memory();
}

FLOWGRAPH_INLINE void large_blocks::do_deallocate(void* p, std::size_t, std::size_t) {
  block* const freed = static_cast<block*>(p) - 1;
  threading::unique_lock lock(mutex_);
  idle_bytes_ += freed->bytes;
  idle_.insert(place_of(freed->bytes), freed);
  if (!is_closed_) return;
  free_beyond(0);
  const bool is_last = blocks_ == 0;
  lock.unlock();
  if (is_last) delete this;
}

FLOWGRAPH_INLINE std::size_t large_blocks::free_idle() noexcept {
  const threading::lock_guard lock(mutex_);
  const std::size_t freed = idle_bytes_;
  free_beyond(0);
  most_in_use_ = bytes_;
  return freed;
}

FLOWGRAPH_INLINE std::size_t large_blocks::idle_bytes() const noexcept {
  const threading::lock_guard lock(mutex_);
  return idle_bytes_;
}

FLOWGRAPH_INLINE void large_blocks::close() noexcept {
  threading::unique_lock lock(mutex_);
  is_closed_ = true;
  free_beyond(0);
  const bool is_last = blocks_ == 0;
  lock.unlock();
  if (is_last) delete this;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
