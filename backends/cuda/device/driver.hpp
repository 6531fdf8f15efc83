#pragma once
// The functions of a driver that a device needs. The CUDA runtime provides them, and so does the emulation of the tests.

#include <cuda/device/cublaslt.hpp>
#include <cuda/kernels/arguments.hpp>
#include <flowgraph/cuda/block.hpp>
#include <cuda/kernels/table.hpp>

#include <flowgraph/core/error.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

using stream = void*;
using event = void*;

// A driver for one GPU. Any thread may call it. Work of one stream runs in its order. Work of several streams runs in any order,
// except for the events.
class driver {
public:
  virtual ~driver() = default;

  // Returns the kernels of the driver's GPU.
  virtual std::span<const kernel_record> kernels() const = 0;

  // Returns the index of the GPU in CUDA.
  virtual int index() const { return 0; }

  // Makes the GPU the current one of this thread, and returns the index of the former one for restore().
  virtual result<int> select() = 0;
  virtual void restore(int former) = 0;
  // Returns the functions of cuBLASLt, or an error that names the missing part.
  virtual result<const cublaslt::functions*> product_functions() = 0;

  // Allocates memory for work that the stream gets later. Returns an error if there is not enough memory.
  virtual result<void*> allocate(std::size_t bytes, stream s) = 0;
  // Frees memory after all work that the stream got before.
  virtual error free(void* p, stream s) = 0;

  // Copies from the host, which may change its elements as soon as the function returns.
  virtual error copy_in(const void* host, void* device, std::size_t bytes, stream s) = 0;
  // Copies to the host. The elements are there when the stream has been synchronized.
  virtual error copy_out(const void* device, void* host, std::size_t bytes, stream s) = 0;
  // Sets all bytes.
  virtual error fill(void* device, unsigned char byte, std::size_t bytes, stream s) = 0;
  virtual error copy_within(const void* from, void* to, std::size_t bytes, stream s) = 0;
  // Runs `blocks` blocks of a kernel, which is a function of a record.
  virtual error launch(const void* function, std::int64_t blocks, const kernel_arguments& arguments, stream s) = 0;

  virtual result<stream> make_stream() = 0;
  virtual void destroy_stream(stream s) = 0;
  virtual result<event> make_event() = 0;
  virtual void destroy_event(event e) = 0;
  // The event becomes all work that the stream got before.
  virtual error record(event e, stream s) = 0;
  // Returns whether all work of the event is done, without waiting.
  virtual result<bool> has_passed(event e) = 0;
  // Work that the stream gets later runs after the event.
  virtual error wait(stream s, event e) = 0;
  // Waits for the work of the stream. Returns the error of work that failed.
  virtual error synchronize(stream s) = 0;
};

// Makes a GPU the current one of this thread from select() to the end of the object. Functions of libraries use the current GPU.
class selection {
public:
  explicit selection(driver& d) noexcept : driver_(d) {}
  ~selection() {
    if (is_selected_) driver_.restore(former_);
  }
  selection(const selection&) = delete;
  selection& operator=(const selection&) = delete;

  error select() {
    const auto former = driver_.select();
    if (!former) return former.error();
    former_ = *former;
    is_selected_ = true;
    return {};
  }

private:
  driver& driver_;
  int former_ = 0;
  bool is_selected_ = false;
};
}
}
}  // namespace flowgraph::cuda
