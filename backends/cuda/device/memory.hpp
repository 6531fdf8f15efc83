#pragma once
// The memory and the streams of a GPU.
//
// Kernels run in the compute stream. Copies from and to the host have their own streams; events order them: a copy runs after all
// kernels that were requested before it, and kernels that are requested later run after copies to the device.

#include <cuda/device/driver.hpp>

#include <flowgraph/core/far_memory.hpp>
#include <flowgraph/core/function.hpp>
#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/core/tensor.hpp>
#include <flowgraph/cuda/memory_functions.hpp>
#include <flowgraph/op/device.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

// A call whose kernel reports bad indices.
struct checked_call {
  error found;           // the error of a bad index, without its position
  std::string subject;   // the name of the input in the message, for example "indices"
  std::string expected;  // the values that are allowed, for example "[0, 5)"
};

// The options for the memory and the streams of a device.
struct memory_options {
  std::size_t memory_limit = 0;                 // the largest number of bytes in use at the same time; 0: no limit
  bool synchronous = false;                     // waits for each kernel: the call that caused an error of the GPU gets the error
  stream compute = nullptr;                     // the stream in which kernels run; null: a new one
  const memory_functions* functions = nullptr;  // null: the driver's memory
  std::size_t most_checked = std::size_t{1} << 19;  // checked calls after which faults are read; below the 2^20 of a fault_word
};

class device_memory final : public far_memory {
public:
  static result<std::unique_ptr<device_memory>> make(std::unique_ptr<driver> d, const memory_options& options = {});
  ~device_memory() override;

  // Returns `memory` as the memory of a GPU, or null if it is not the memory of a GPU.
  static device_memory* find(const std::pmr::memory_resource* memory);

  driver& by() const noexcept { return *driver_; }
  // The device that owns this memory. A device of the program may use the same memory, but it is not a GPU.
  void set_owner(const device& d) noexcept { owner_ = &d; }
  const device* owner() const noexcept { return owner_; }
  std::size_t limit() const noexcept { return options_.memory_limit; }
  // Creates the budget that enforces the limit, and counts all blocks that this memory allocates later. The caller owns it.
  memory_budget* make_budget(std::string whose);
  // Returns the number of bytes that are allocated.
  std::size_t in_use() const;

  // Requests kernels in a row: while the object exists, other threads request nothing. So no other thread reads and resets the
  // word of faults between a check and the kernel that changes nothing after a fault. The owner must not use the memory otherwise.
  class launches {
  public:
    explicit launches(device_memory& of) : of_(of), lock_(of.mutex_) {}

    // Requests a kernel for `blocks` blocks, after all work that was requested before.
    template <class Arguments> error launch(const void* function, std::int64_t blocks, const Arguments& arguments) {
      return of_.run(function, blocks, kernel_arguments(arguments));
    }
    // Requests a kernel that reports bad indices.
    template <class Arguments> error launch(const void* function, std::int64_t blocks, Arguments arguments, checked_call call) {
      arguments.fault = of_.fault_;
      arguments.call = of_.number(std::move(call));
      return of_.run(function, blocks, kernel_arguments(arguments));
    }

  private:
    device_memory& of_;
    std::lock_guard<std::mutex> lock_;
  };
  template <class Arguments> error launch(const void* function, std::int64_t blocks, const Arguments& arguments) {
    return launches(*this).launch(function, blocks, arguments);
  }
  // Requests work of a library: calls `request` with the stream of the kernels.
  error launch(function_ref<error(stream)> request);
  // Returns the address of the word in which kernels report bad indices.
  void* fault() const noexcept { return fault_; }

  // Orders work: the device starts later work after the work that the foreign stream has received.
  error wait_for(stream foreign) {
    const std::lock_guard lock(mutex_);
    return order(foreign, foreign_, compute_);
  }
  // As wait_for(), but the next finish() returns the error.
  void release_after(stream foreign) {
    const std::lock_guard lock(mutex_);
    keep(order(foreign, foreign_, compute_));
  }
  // Orders work: the foreign stream starts later work after the work that the device has requested.
  error let_wait(stream foreign) {
    const std::lock_guard lock(mutex_);
    return order(compute_, foreign_, foreign);
  }
  // Returns a tensor that refers to elements of another library on this GPU. The elements are never changed. `release` is called
  // once, at the end of a run: then no tensor refers to the elements, and all work has read them.
  result<any_tensor> adopt(dtype type, const shape& s, void* elements, unique_function<void()> release);
  // Returns the number of checked calls whose faults are not read yet.
  std::size_t checked() const {
    const std::lock_guard lock(mutex_);
    return checked_.size();
  }
  // Returns the number of blocks of other libraries that are not yet released.
  std::size_t adopted() const {
    const std::lock_guard lock(mutex_);
    return foreign_blocks_.size();
  }

  void copy_in(const void* host, void* here, std::size_t bytes) override;
  // Returns the error of a bad index, too, which a kernel has reported before.
  error copy_out(const void* here, void* host, std::size_t bytes) override;
  void copy_within(const void* from, void* to, std::size_t bytes) override;
  error copy_from(far_memory& other, const void* there, void* here, std::size_t bytes) override;
  std::size_t alignment() const noexcept override { return 256; }
  error finish() override;
  std::uint64_t mark() const noexcept override { return failures_.load(std::memory_order_relaxed); }
  error finish_since(std::uint64_t mark) override;
  bool wait(function_ref<bool()> is_over) override;

private:
  // Elements of another library. `held` is a second reference to the buffer, so no kernel overwrites the elements in place.
  struct foreign_block {
    buffer_ref held;
    unique_function<void()> release;
  };
  // Allocates from the driver, or from the program's functions.
  class pool final : public std::pmr::memory_resource {
  public:
    explicit pool(device_memory& of) : of_(of) {}

  private:
    void* do_allocate(std::size_t bytes, std::size_t) override { return of_.take(bytes); }
    void do_deallocate(void* p, std::size_t bytes, std::size_t) override { of_.give_back(p, bytes); }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
    device_memory& of_;
  };

  device_memory(std::unique_ptr<driver> d, const memory_options& options);
  error open();
  // Orders work: the stream `later` starts later work after the work that the stream `earlier` has received.
  error order(stream earlier, event by, stream later);
  // Waits for a stream. After an error waits again: a copy to memory of the host, which the caller will release, may be in flight.
  error complete(stream s);
  error reset_fault();
  // Reads the word of faults, and forgets the checked calls. If a kernel reported the first fault since the last reset, returns its
  // error.
  error read_fault();
  // Returns the error of the fault that the word contains, or has contained last.
  error known_fault();
  // Takes the first error since the last call. `found`: the error of the streams. Requires the lock.
  error take_failure(error found);
  // Returns the error for a value of the word.
  error error_of(fault_word found) const;
  // Returns the number of a call whose kernel reports bad indices. If there are too many numbers, reads the word of faults first.
  std::uint32_t number(checked_call call);
  void keep(error why);
  // Returns an event for the work that the device has received, or null if the driver fails.
  event mark_work();
  // Removes and returns the blocks of other libraries to which no tensor refers.
  std::vector<foreign_block> take_unread();
  static void release(std::vector<foreign_block> blocks);
  bool forget_adopted(void* p);
  bool owns_compute() const { return !options_.compute; }
  error run(const void* function, std::int64_t blocks, const kernel_arguments& arguments);
  result<void*> allocate_bytes(std::size_t bytes);
  error free_bytes(void* p, std::size_t bytes);
  void* take(std::size_t bytes);
  void give_back(void* p, std::size_t bytes);

  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override;

  std::unique_ptr<driver> driver_;
  const device* owner_ = nullptr;
  memory_options options_;
  memory_functions functions_;
  pool pool_{*this};
  memory_budget* budget_ = nullptr;  // null: no limit
  stream compute_ = nullptr, in_ = nullptr, out_ = nullptr;
  event computed_ = nullptr, copied_ = nullptr, foreign_ = nullptr;
  void* fault_ = nullptr;

  mutable std::mutex mutex_;  // guards the members below, and the order of work
  std::size_t in_use_ = 0;
  std::vector<checked_call> checked_;
  bool has_fault_ = false;  // the fault in the word is known; the word keeps it until finish(), so that no variable changes
  error fault_error_;       // the error of the last known fault
  std::vector<foreign_block> foreign_blocks_;
  std::vector<void*> foreign_addresses_;  // addresses of blocks that do_deallocate() must not free
  std::vector<event> unused_events_;
  error failure_;
  error last_;                               // the last error that finish() has returned
  std::atomic<std::uint64_t> failures_ = 0;  // the number of these errors; changes with the lock
};

}
}
}  // namespace flowgraph::cuda
