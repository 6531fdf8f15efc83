// Faults that a body, a backend or a program may have: the emulated GPU shows each of them.

#include "emulation/devices.hpp"

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <functional>

namespace {

namespace fg = flowgraph;
using fg::cuda::threads_per_block;

// The sum of 256 numbers by a tree. With `Missing`, two steps of the tree are one phase.
template <bool Missing> struct tree_sum {
  template <class Block> void operator()(Block& b, const fg::cuda::map_arguments& m) const {
    const auto* const x = static_cast<const float*>(m.a);
    auto* const parts = b.template shared<float>();
    b.each(threads_per_block, [=](std::int64_t i) { parts[i] = x[i]; });
    for (std::int64_t half = threads_per_block / 2; half > 0; half /= 2) {
      const std::int64_t next = half / 2;
      const auto add = [=](std::int64_t i, std::int64_t by) { parts[i] += parts[i + by]; };
      if (!Missing || half != 64) {
        b.each(half, [=](std::int64_t i) { add(i, half); });
      } else {
        b.each(half, [=](std::int64_t i) {
          add(i, half);
          if (i < next) add(i, next);
        });
        half = next;
      }
    }
    b.each(1, [&](std::int64_t) { *static_cast<float*>(m.y) = parts[0]; });
  }
};

// Reads memory of the block that no phase wrote.
struct reads_unwritten {
  template <class Block> void operator()(Block& b, const fg::cuda::map_arguments& m) const {
    auto* const parts = b.template shared<float>();
    b.each(1, [&](std::int64_t) { *static_cast<float*>(m.y) = parts[7]; });
  }
};

// Writes the elements of the next block.
struct wrong_block {
  template <class Block> void operator()(Block& b, const fg::cuda::map_arguments& m) const {
    auto* const y = static_cast<float*>(m.y) + (b.index() + 1) * threads_per_block;
    b.each(threads_per_block, [=](std::int64_t i) { y[i] = 1; });
  }
};

template <class Body> const void* function_of() {
  const emulation::kernel run = [](emulation::block& b, const fg::cuda::kernel_arguments& a) { Body()(b, a.map); };
  return reinterpret_cast<const void*>(run);
}

// Runs a body of one block on 256 numbers, and returns the first element of the result.
float result_of(const void* function, std::uint64_t seed) {
  auto memory =
      fg::cuda::device_memory::make(std::make_unique<emulation::driver>(seed, std::make_shared<emulation::state>())).value();
  std::vector<float> numbers(threads_per_block);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  const std::size_t bytes = numbers.size() * sizeof(float);
  void* const x = memory->allocate(bytes);
  void* const y = memory->allocate(bytes);
  memory->copy_in(numbers.data(), x, bytes);
  CHECK_FALSE(memory->launch(function, 1, fg::cuda::map_arguments{x, nullptr, y, threads_per_block}));
  memory->copy_out(y, numbers.data(), bytes);
  memory->deallocate(x, bytes);
  memory->deallocate(y, bytes);
  return numbers[0];
}

// Runs a body on numbers that are in the memory of another GPU.
void sum_of_foreign(const void* numbers) {
  auto memory =
      fg::cuda::device_memory::make(std::make_unique<emulation::driver>(1, std::make_shared<emulation::state>())).value();
  void* const y = memory->allocate(sizeof(float));
  static_cast<void>(memory->launch(function_of<tree_sum<false>>(), 1, fg::cuda::map_arguments{numbers, nullptr, y, 1}));
  static_cast<void>(memory->finish());
  memory->deallocate(y, sizeof(float));
}

// Whether the function ends the process: it runs in a child.
bool ends_process(const std::function<void()>& f) {
  const pid_t child = fork();
  if (child == 0) {
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT}) std::signal(signal, SIG_DFL);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(0);
    f();
    _exit(0);
  }
  int how = 0;
  waitpid(child, &how, 0);
  return WIFSIGNALED(how) || WEXITSTATUS(how) != 0;
}

// How many of some seeds give other results than a GPU without faults.
int wrong_results(emulation::planted fault) {
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto counts = std::make_shared<emulation::state>();
    counts->fault = fault;
    auto gpu = emulation::try_open(seed, counts).value();
    fg::graph g;
    auto x = g.placeholder<float>("x", {fg::any});
    auto y = x;
    for (int i = 0; i < 4; ++i) y = fg::square(y) + x;
    fg::session s{g, {.devices = gpu.devices}};
    const auto made = s.try_run(fg::fetch(y), {{x, fg::tensor<float>({3}, {0, 1, 2})}});
    REQUIRE(made.has_value());
    wrong += (*made)[1] != 677.f || (*made)[0] != 0.f;
  }
  return wrong;
}

}  // namespace

TEST_CASE("a missing phase and memory that no phase wrote give other results") {
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    CHECK(result_of(function_of<tree_sum<false>>(), seed) == 255 * 128);
    wrong += result_of(function_of<tree_sum<true>>(), seed) != 255 * 128;
    CHECK(result_of(function_of<reads_unwritten>(), seed) != 0);
  }
  CHECK(wrong > 5);
}

TEST_CASE("a missing event and a block that is freed too early give other results") {
  CHECK(wrong_results(emulation::planted::none) == 0);
  CHECK(wrong_results(emulation::planted::no_events) > 5);
  CHECK(wrong_results(emulation::planted::freed_at_once) > 5);
}

TEST_CASE("a wrong block index, and a kernel or a host that reads the memory of another device, end the process") {
  CHECK_FALSE(ends_process([] { result_of(function_of<tree_sum<false>>(), 1); }));
  CHECK(ends_process([] { result_of(function_of<wrong_block>(), 1); }));
  const emulation::emulated gpu = emulation::open(1);
  const auto there = fg::tensor<float>(fg::shape{threads_per_block}).erased().copy(gpu.devices[0].memory()).value();
  CHECK(there.is_far());
  CHECK(ends_process([&] { sum_of_foreign(there.data()); }));
  CHECK(ends_process([&] {
    const volatile float read = there.as<float>()[0];
    static_cast<void>(read);
  }));
}
