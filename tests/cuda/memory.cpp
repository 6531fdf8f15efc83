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

TEST_CASE("a large tensor is copied from one GPU to another in parts") {
  const auto counts = std::make_shared<emulation::state>();
  constexpr std::size_t room = std::size_t{1} << 27;
  const auto first = fg::cuda::device_memory::make(std::make_unique<emulation::driver>(1, counts, room)).value();
  const auto second = fg::cuda::device_memory::make(std::make_unique<emulation::driver>(2, counts, room)).value();
  std::vector<std::uint32_t> numbers((std::size_t{36} << 20) / 4 + 3);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i);
  const std::size_t bytes = numbers.size() * 4;
  void *const from = first->allocate(bytes), *const to = second->allocate(bytes);
  first->copy_in(numbers.data(), from, bytes);
  int copies = 0;
  counts->on_copy = [&] { ++copies; };
  second->copy_from(*first, from, to, bytes);
  counts->on_copy = {};
  CHECK(copies == 4);  // two parts, from one GPU and to the other
  std::vector<std::uint32_t> found(numbers.size());
  second->copy_out(to, found.data(), bytes);
  CHECK(found == numbers);
  CHECK_FALSE(second->finish());
  first->deallocate(from, bytes);
  second->deallocate(to, bytes);
}
