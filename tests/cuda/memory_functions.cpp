#include <flowgraph/cuda/memory_functions.hpp>

#include "emulation/doubling.hpp"

#include <doctest/doctest.h>

namespace {

namespace fg = flowgraph;
using namespace emulation;

}  // namespace

TEST_CASE("kernels run in the program's stream, and tensors are in the program's memory") {
  struct pool {
    fg::cuda::driver* by;
    std::size_t bytes = 0, blocks = 0, not_selected = 0;
  };
  const auto counts = std::make_shared<emulation::state>();
  counts->index = 3;
  auto by = std::make_unique<emulation::driver>(4, counts);
  pool own{by.get()};
  const fg::cuda::stream stream = by->make_stream().value();
  const fg::cuda::memory_functions functions{[](std::size_t bytes, void* s, void* user) -> void* {
                                               auto& p = *static_cast<pool*>(user);
                                               p.not_selected += emulation::driver::current_gpu() != 3;
                                               const auto made = p.by->allocate(bytes, s);
                                               if (!made) return nullptr;
                                               p.bytes += bytes;
                                               ++p.blocks;
                                               return *made;
                                             },
                                             [](void* block, std::size_t bytes, void* s, void* user) {
                                               auto& p = *static_cast<pool*>(user);
                                               p.not_selected += emulation::driver::current_gpu() != 3;
                                               p.bytes -= bytes;
                                               static_cast<void>(p.by->free(block, s));
                                             },
                                             &own};
  {
    fg::device_list devices;
    devices.push_back(
        fg::cuda::make_device("gpu:0", std::move(by), fg::cuda::memory_options{.compute = stream, .functions = &functions})
            .value());
    devices[0].set_priority(1);
    const doubling model;
    fg::session s{model.g, {.devices = devices}};
    const floats t = floats::copy_of(counted(20), devices[0]).value();
    const floats made = model.run(s, t).value();
    // The program's stream is the stream of the device, so its work sees the results without an event.
    fg::tensor<float> read(fg::shape{20});
    CHECK_FALSE(own.by->copy_out(made.data(), read.writable().data(), 80, stream));
    CHECK_FALSE(own.by->synchronize(stream));
    CHECK(is_counted_by(read, 2, 1));
    CHECK(own.blocks > 3);
  }
  CHECK(own.bytes == 0);
  CHECK(own.not_selected == 0);
  CHECK(counts->streams == 1);
  delete static_cast<accelerator::stream*>(stream);
}
