// The memory of a GPU: copies and failures.

#include "emulation/devices.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace {

namespace fg = flowgraph;

}  // namespace

TEST_CASE("other threads use the memory of a GPU while a copy waits") {
  const auto counts = std::make_shared<emulation::state>();
  const auto memory = fg::cuda::device_memory::make(std::make_unique<emulation::driver>(1, counts)).value();
  std::array<float, 3> numbers{1, 2, 3};
  void* const there = memory->allocate(sizeof numbers);
  std::atomic<int> done = 0;
  std::vector<std::jthread> others;
  int late = 0, copies = 0;
  counts->on_copy = [&] {
    ++copies;
    const int before = done;
    others.emplace_back([&] {
      static_cast<void>(memory->in_use());
      ++done;
    });
    for (int i = 0; i < 2000 && done == before; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    late += done == before;
  };
  memory->copy_in(numbers.data(), there, sizeof numbers);
  numbers = {};
  memory->copy_out(there, numbers.data(), sizeof numbers);
  CHECK(copies == 2);
  CHECK(late == 0);
  CHECK(numbers[2] == 3);
  counts->on_copy = {};
  memory->deallocate(there, sizeof numbers);
}

TEST_CASE("a GPU that fails to allocate reports its error, also if the caller only sees that there is no memory") {
  const auto counts = std::make_shared<emulation::state>();
  const auto memory = fg::cuda::device_memory::make(std::make_unique<emulation::driver>(1, counts)).value();
  CHECK_FALSE(fg::any_tensor::allocate(fg::dtype::float32, fg::shape{1 << 26}, memory.get()).has_value());
  CHECK_FALSE(memory->finish());  // there is not enough memory, but the GPU has not failed
  counts->failing = counts->calls + 1;
  CHECK_FALSE(fg::any_tensor::allocate(fg::dtype::float32, fg::shape{100}, memory.get()).has_value());
  CHECK(memory->finish().code() == fg::error_code::unavailable);
  CHECK_FALSE(memory->finish());
}
