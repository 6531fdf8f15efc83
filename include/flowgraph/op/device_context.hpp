#pragma once
// The context of a kernel that runs on a device other than the host's CPU.

#include <flowgraph/op/kernel.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

class device;

// The context of a device's kernel; a cheap handle to one call. A kind of device derives its own context, which gives the kernels
// what the kind offers, for example a stream:
//
//     class accel_context : public fg::device_context {
//     public:
//       using device_context::device_context;
//       accel_stream& stream() const { return static_cast<const accel_device&>(on()).stream(); }
//     };
class device_context : private cpu {
public:
  explicit device_context(detail::kernel_call& call) noexcept : cpu(call) {}

  // Returns the device that the kernel runs on.
  const device& on() const noexcept { return *call().run->on; }

  using cpu::at;
  using cpu::call;
  using cpu::fail;
  using cpu::failed;
  using cpu::input;
  using cpu::input_count;
  using cpu::iteration;
  using cpu::lasting_memory;
  using cpu::memory;
  using cpu::ordinal;
  using cpu::output_count;
  using cpu::read;
  using cpu::resources;
  using cpu::run_resources;
  using cpu::scratch;
  using cpu::set_aside;
  using cpu::set_output;
  using cpu::stop_requested;
};

}  // namespace flowgraph
