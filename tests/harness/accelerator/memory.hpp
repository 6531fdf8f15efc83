#pragma once
// The memory of an emulated accelerator. It is mapped twice. The addresses that the engine sees may not be read or written, so
// that the host faults at the line that tries to; kernels and copies use the other view. Allocated and freed blocks are
// overwritten, in the order of the stream: a read that is too early or too late finds a pattern.

#include "../sanitized.hpp"
#include "streams.hpp"

#include <flowgraph/core/far_memory.hpp>
#include <flowgraph/core/memory.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#if SEES_ADDRESSES
#include <sanitizer/asan_interface.h>
#endif

namespace accelerator {

namespace fg = flowgraph;

// Faults that a backend may have, to check that tests find them.
enum class fault : std::uint8_t { none, no_event_after_copy, no_event_before_copy, peer_not_told, given_back_at_once };

class memory final : public fg::far_memory {
public:
  memory(machine& all, std::size_t bytes, fault planted = fault::none) : machine_(all), size_(bytes), planted_(planted) {
    const int file = memfd_create("accelerator", 0);
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) std::abort();
    host_ = map(file, PROT_NONE);
    view_ = map(file, PROT_READ | PROT_WRITE);
    close(file);
    free_.emplace(0, bytes);
    for (stream* s : {&compute_, &in_, &out_}) machine_.add(*s);
    poison(view_, bytes);
  }
  ~memory() override {
    for (const stream* s : {&compute_, &in_, &out_}) machine_.remove(*s);
    unpoison(view_, size_);
    munmap(host_, size_);
    munmap(view_, size_);
  }

  bool holds(const void* p) const noexcept { return p >= host_ && p < host_ + size_; }
  bool is_aligned(const void* p) const noexcept {
    return (static_cast<const std::byte*>(p) - host_) % static_cast<std::ptrdiff_t>(unit) == 0;
  }
  // Returns the address for kernels and copies of the engine's address `p`.
  std::byte* view(const void* p) const noexcept { return view_ + (static_cast<const std::byte*>(p) - host_); }
  std::size_t in_use() const {
    const std::lock_guard lock(mutex_);
    return in_use_;
  }
  // Runs work in the order of the kernels.
  void launch(std::function<void()> run) { machine_.enqueue(compute_, {}, std::move(run)); }
  using fg::far_memory::wait;
  // Waits until all kernels so far have run.
  void wait() { machine_.wait(compute_); }
  // Records a failure of work that runs later. The first failure counts.
  void fail(fg::error why) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(why);
  }

  void copy_in(const void* host, void* here, std::size_t bytes) override {
    const auto* first = static_cast<const std::byte*>(host);
    std::vector<std::byte> staged(first, first + bytes);
    const auto copied = machine_.enqueue(
        in_, before_copy(), [to = view(here), staged = std::move(staged)] { std::memcpy(to, staged.data(), staged.size()); });
    wait_for(copied);
  }
  fg::error copy_out(const void* here, void* host, std::size_t bytes) override {
    const auto copied =
        machine_.enqueue(out_, before_copy(), [from = view(here), host, bytes] { std::memcpy(host, from, bytes); });
    machine_.wait(copied);
    return {};
  }
  void copy_within(const void* from, void* to, std::size_t bytes) override {
    launch([from = view(from), to = view(to), bytes] { std::memmove(to, from, bytes); });
  }
  fg::error copy_from(fg::far_memory& other, const void* there, void* here, std::size_t bytes) override {
    auto& peer = static_cast<memory&>(other);  // tests have no other kind
    const auto copied = machine_.enqueue(in_, {machine_.reached(compute_), machine_.reached(peer.compute_)},
                                         [from = peer.view(there), to = view(here), bytes] { std::memcpy(to, from, bytes); });
    wait_for(copied);
    if (planted_ != fault::peer_not_told) peer.wait_for(copied);
    return {};
  }
  std::size_t alignment() const noexcept override { return unit; }
  fg::error finish() override {
    for (const stream* s : {&compute_, &in_, &out_}) machine_.wait(*s);
    const std::lock_guard lock(mutex_);
    return std::exchange(failure_, {});
  }

private:
  static constexpr std::size_t unit = 256;  // the distance between blocks: a unit after each block is unused

  std::byte* map(int file, int access) const {
    void* const at = mmap(nullptr, size_, access, MAP_SHARED, file, 0);
    if (at == MAP_FAILED) std::abort();
    return static_cast<std::byte*>(at);
  }
  static void poison([[maybe_unused]] const void* p, [[maybe_unused]] std::size_t bytes) {
#if SEES_ADDRESSES
    ASAN_POISON_MEMORY_REGION(p, bytes);
#endif
  }
  static void unpoison([[maybe_unused]] const void* p, [[maybe_unused]] std::size_t bytes) {
#if SEES_ADDRESSES
    ASAN_UNPOISON_MEMORY_REGION(p, bytes);
#endif
  }
  // Returns the events that a copy waits for: all kernels launched so far.
  std::vector<stream::event> before_copy() {
    return planted_ == fault::no_event_before_copy ? std::vector<stream::event>() : std::vector{machine_.reached(compute_)};
  }
  // Makes later kernels wait for the event.
  void wait_for(stream::event e) {
    if (planted_ == fault::no_event_after_copy) return;
    machine_.enqueue(compute_, {e}, [] {});
  }
  static std::size_t taken_for(std::size_t bytes) { return (bytes + unit - 1) / unit * unit + unit; }

  void* do_allocate(std::size_t bytes, std::size_t) override {
    std::size_t at = 0;
    {
      const std::lock_guard lock(mutex_);
      const std::size_t taken = taken_for(bytes);
      auto block = free_.begin();
      while (block != free_.end() && block->second < taken) ++block;
      if (block == free_.end()) return fg::detail::refuse_memory();
      at = block->first;
      const std::size_t left = block->second - taken;
      free_.erase(block);
      if (left > 0) free_.emplace(at + taken, left);
      in_use_ += bytes;
    }
    launch([p = view_ + at, bytes] {
      unpoison(p, bytes);
      std::memset(p, 0xa5, bytes);
    });
    return host_ + at;
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t) override {
    const auto overwrite = [p = view(p), bytes] {
      std::memset(p, 0xdd, bytes);
      poison(p, bytes);
    };
    if (planted_ == fault::given_back_at_once) overwrite();
    else launch(overwrite);
    const std::lock_guard lock(mutex_);
    in_use_ -= bytes;
    const auto at = static_cast<std::size_t>(static_cast<std::byte*>(p) - host_);
    auto made = free_.emplace(at, taken_for(bytes)).first;
    if (const auto next = std::next(made); next != free_.end() && made->first + made->second == next->first) {
      made->second += next->second;
      free_.erase(next);
    }
    if (made != free_.begin())
      if (const auto before = std::prev(made); before->first + before->second == made->first) {
        before->second += made->second;
        free_.erase(made);
      }
  }

  machine& machine_;
  std::size_t size_;
  fault planted_;
  std::byte* host_ = nullptr;
  std::byte* view_ = nullptr;
  stream compute_, in_, out_;

  mutable std::mutex mutex_;                 // guards the following members
  std::map<std::size_t, std::size_t> free_;  // blocks by offset
  std::size_t in_use_ = 0;
  fg::error failure_;
};

}  // namespace accelerator
