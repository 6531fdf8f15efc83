#pragma once
// An emulated driver. It executes streams and events out of order, by a seed. Only its kernels and copies may access its memory:
// the host faults at the line that tries to. Blocks are overwritten when they are allocated and when they are freed, in the order
// of the stream, and each block is followed by bytes that no kernel may change.

#include "../../harness/accelerator/streams.hpp"
#include "block.hpp"
#include "cublaslt.hpp"
#include "kernels.hpp"

#include <cuda/device/driver.hpp>

#include <flowgraph/core/message.hpp>

#include <sys/mman.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <set>

namespace emulation {

namespace fg = flowgraph;

// A fault of a backend or of a driver, to see that tests find it.
enum class planted : std::uint8_t { none, no_events, freed_at_once };

// Counters of the driver, and the call that fails. Shared by all objects of a test.
struct state {
  std::atomic<std::uint64_t> calls{0};
  std::uint64_t failing = 0;         // the number of the call that fails, from 1; 0: none
  std::uint64_t failing_launch = 0;  // the number of the launch whose kernel fails; synchronize() reports the failure
  std::atomic<bool> is_lost{false};  // all calls fail
  std::function<void(std::uint64_t)> on_launch = {};  // gets the number of each launch
  std::function<void()> on_copy = {};                 // called at the begin of each copy from and to the host
  std::atomic<int> streams{0}, events{0};
  std::atomic<std::size_t> bytes{0};
  std::atomic<std::uint64_t> launches{0};
  planted fault = planted::none;
  int index = 0;            // the number of the GPU
  bool has_library = true;  // a stand-in for cuBLASLt
};

class driver final : public cuda::driver {
public:
  driver(std::uint64_t seed, std::shared_ptr<state> counts, std::size_t bytes = std::size_t{1} << 26)
      : counts_(std::move(counts)), machine_(seed), random_(seed), size_(bytes) {
    void* const at = mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) std::abort();
    memory_ = static_cast<std::byte*>(at);
    free_.emplace(0, bytes);
  }
  ~driver() override { munmap(memory_, size_); }

  std::span<const cuda::kernel_record> kernels() const override { return emulation::kernels(); }
  int index() const override { return counts_->index; }

  fg::result<int> select() override {
    if (fg::error why = count()) return why;
    return std::exchange(current_gpu(), counts_->index);
  }
  void restore(int former) override { current_gpu() = former; }
  fg::result<const cuda::cublaslt::functions*> product_functions() override {
    if (!counts_->has_library)
      return cuda::cublaslt::open_library(std::array{"libno_library.so.1", "libno_library.so.2"}).error();
    return &stand_in::functions();
  }
  // The GPU that this thread has selected, or -1.
  static int& current_gpu() {
    static thread_local int selected = -1;
    return selected;
  }
  // Enqueues work of a library in a stream of any emulated driver. Returns false if there is no such stream.
  template <class F> static bool enqueue_in(cuda::stream s, const F& run) {
    const std::lock_guard lock(streams_mutex());
    const auto found = drivers_of_streams().find(s);
    if (found == drivers_of_streams().end()) return false;
    found->second->enqueue(s, run);
    return true;
  }

  fg::result<void*> allocate(std::size_t bytes, cuda::stream s) override {
    if (fg::error why = count()) return why;
    std::byte* p = nullptr;
    {
      const std::lock_guard lock(mutex_);
      const std::size_t taken = taken_for(bytes);
      auto block = free_.begin();
      while (block != free_.end() && block->second < taken) ++block;
      if (block == free_.end()) return fg::error(fg::error_code::resource_exhausted, "the emulated GPU has no memory left");
      const std::size_t at = block->first, left = block->second - taken;
      free_.erase(block);
      if (left > 0) free_.emplace(at + taken, left);
      p = memory_ + at;
      sizes_[p] = bytes;
      counts_->bytes += bytes;
    }
    enqueue(s, [p, bytes] {
      std::memset(p, 0xa5, bytes);
      std::memset(p + bytes, guard, taken_for(bytes) - bytes);
    });
    return static_cast<void*>(p);
  }
  fg::error free(void* p, cuda::stream s) override {
    fg::error why = count();
    std::size_t bytes = 0;
    {
      const std::lock_guard lock(mutex_);
      bytes = sizes_.at(p);
    }
    const auto overwrite = [at = static_cast<std::byte*>(p), bytes] {
      for (std::size_t i = bytes; i < taken_for(bytes); ++i)
        if (at[i] != std::byte{guard}) refuse("a kernel wrote behind a block");
      std::memset(at, 0xdd, bytes);
    };
    if (counts_->fault == planted::freed_at_once) {
      const opened access(*this);
      std::memset(p, 0xdd, bytes);
    } else {
      enqueue(s, overwrite);
    }
    const std::lock_guard lock(mutex_);
    sizes_.erase(p);
    counts_->bytes -= bytes;
    give_back(static_cast<std::size_t>(static_cast<std::byte*>(p) - memory_), taken_for(bytes));
    return why;
  }

  fg::error copy_in(const void* host, void* device, std::size_t bytes, cuda::stream s) override {
    if (fg::error why = count()) return why;
    if (counts_->on_copy) counts_->on_copy();
    const auto* const first = static_cast<const std::byte*>(host);
    enqueue(s, [device, staged = std::vector<std::byte>(first, first + bytes)] {
      if (!staged.empty()) std::memcpy(device, staged.data(), staged.size());
    });
    return {};
  }
  fg::error copy_out(const void* device, void* host, std::size_t bytes, cuda::stream s) override {
    if (fg::error why = count()) return why;
    if (counts_->on_copy) counts_->on_copy();
    enqueue(s, [device, host, bytes] { std::memcpy(host, device, bytes); });
    return {};
  }
  fg::error fill(void* device, unsigned char byte, std::size_t bytes, cuda::stream s) override {
    if (fg::error why = count()) return why;
    enqueue(s, [device, byte, bytes] { std::memset(device, byte, bytes); });
    return {};
  }
  fg::error copy_within(const void* from, void* to, std::size_t bytes, cuda::stream s) override {
    if (fg::error why = count()) return why;
    enqueue(s, [from, to, bytes] { std::memmove(to, from, bytes); });
    return {};
  }
  fg::error launch(const void* function, std::int64_t blocks, const cuda::kernel_arguments& arguments, cuda::stream s) override {
    if (fg::error why = count()) return why;
    if (blocks <= 0) return fg::error(fg::error_code::internal, "a launch without blocks");
    const std::uint64_t number = ++counts_->launches;
    if (counts_->on_launch) counts_->on_launch(number);
    if (number == counts_->failing_launch) {
      enqueue(s, [this] { has_failed_ = true; });
      return {};
    }
    enqueue(s, [this, run = reinterpret_cast<kernel>(const_cast<void*>(function)), blocks, arguments] {
      const std::int64_t first = static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(blocks));
      const std::int64_t step = random_() % 2 == 0 ? 1 : blocks - 1;
      for (std::int64_t k = 0; k < blocks; ++k) {
        block b((first + k * (step == 0 ? 1 : step)) % blocks, random_);
        run(b, arguments);
      }
    });
    return {};
  }

  fg::result<cuda::stream> make_stream() override {
    if (fg::error why = count()) return why;
    auto made = std::make_unique<accelerator::stream>();
    machine_.add(*made);
    ++counts_->streams;
    const std::lock_guard lock(streams_mutex());
    drivers_of_streams()[made.get()] = this;
    return static_cast<cuda::stream>(made.release());
  }
  void destroy_stream(cuda::stream s) override {
    const std::unique_ptr<accelerator::stream> ended(static_cast<accelerator::stream*>(s));
    machine_.remove(*ended);
    const std::lock_guard lock(streams_mutex());
    drivers_of_streams().erase(s);
    --counts_->streams;
  }
  fg::result<cuda::event> make_event() override {
    if (fg::error why = count()) return why;
    ++counts_->events;
    return static_cast<cuda::event>(new std::optional<accelerator::stream::event>);
  }
  void destroy_event(cuda::event e) override {
    delete static_cast<std::optional<accelerator::stream::event>*>(e);
    --counts_->events;
  }
  fg::error record(cuda::event e, cuda::stream s) override {
    if (fg::error why = count()) return why;
    *static_cast<std::optional<accelerator::stream::event>*>(e) = machine_.reached(of(s));
    return {};
  }
  fg::result<bool> has_passed(cuda::event e) override {
    if (fg::error why = count()) return why;
    const auto& recorded = *static_cast<std::optional<accelerator::stream::event>*>(e);
    return !recorded || machine_.has_passed(*recorded);
  }
  fg::error wait(cuda::stream s, cuda::event e) override {
    if (fg::error why = count()) return why;
    const auto& recorded = *static_cast<std::optional<accelerator::stream::event>*>(e);
    if (recorded && counts_->fault != planted::no_events) machine_.enqueue(of(s), {*recorded}, [] {});
    return {};
  }
  fg::error synchronize(cuda::stream s) override {
    if (fg::error why = count()) return why;
    machine_.wait(of(s));
    if (has_failed_.exchange(false)) return fg::error(fg::error_code::unavailable, "a kernel of the emulated GPU has failed");
    return {};
  }

  // Holds back all work, or lets it run.
  void hold(bool is_held) { machine_.hold(is_held); }

private:
  static constexpr std::size_t unit = 256;  // blocks are aligned to it
  static constexpr unsigned char guard = 0xc7;

  // Makes the memory accessible while a kernel or a copy runs.
  class opened {
  public:
    explicit opened(const driver& d) : driver_(d) { driver_.allow(PROT_READ | PROT_WRITE); }
    ~opened() { driver_.allow(PROT_NONE); }
    opened(const opened&) = delete;
    opened& operator=(const opened&) = delete;

  private:
    const driver& driver_;
  };
  void allow(int access) const {
    if (mprotect(memory_, size_, access) != 0) std::abort();
  }
  [[noreturn]] static void refuse(const char* why) {
    std::fprintf(stderr, "emulated GPU: %s\n", why);
    std::abort();
  }

  fg::error count() {
    const std::uint64_t call = ++counts_->calls;
    if (counts_->is_lost) return fg::error(fg::error_code::unavailable, "the emulated GPU is lost");
    if (call != counts_->failing) return {};
    return fg::error(fg::error_code::unavailable, "the emulated GPU was told to fail");
  }
  // A device with static storage uses both at the end of the program, so they are never destroyed.
  static std::mutex& streams_mutex() {
    static auto& made = *new std::mutex;
    return made;
  }
  static std::map<cuda::stream, driver*>& drivers_of_streams() {
    static auto& made = *new std::map<cuda::stream, driver*>;
    return made;
  }
  static accelerator::stream& of(cuda::stream s) { return *static_cast<accelerator::stream*>(s); }
  template <class F> void enqueue(cuda::stream s, F&& run) {
    machine_.enqueue(of(s), {}, [this, run = std::forward<F>(run)] {
      const opened access(*this);
      run();
    });
  }
  static std::size_t taken_for(std::size_t bytes) { return (bytes + unit - 1) / unit * unit + unit; }
  void give_back(std::size_t at, std::size_t bytes) {
    auto made = free_.emplace(at, bytes).first;
    if (const auto next = std::next(made); next != free_.end() && made->first + made->second == next->first) {
      made->second += next->second;
      free_.erase(next);
    }
    if (made == free_.begin()) return;
    if (const auto before = std::prev(made); before->first + before->second == made->first) {
      before->second += made->second;
      free_.erase(made);
    }
  }

  std::shared_ptr<state> counts_;
  accelerator::machine machine_;
  std::atomic<bool> has_failed_{false};
  std::mt19937_64 random_;  // only work that runs draws numbers
  std::size_t size_;
  std::byte* memory_ = nullptr;
  std::mutex mutex_;                         // guards what follows
  std::map<std::size_t, std::size_t> free_;  // blocks by offset
  std::map<void*, std::size_t> sizes_;
};

}  // namespace emulation
