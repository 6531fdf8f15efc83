#include <flowgraph/op/kernel_trace.hpp>

#include <flowgraph/op/kernel.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

// Counts what it is told.
struct counting_trace final : fg::detail::kernel_trace {
  std::int64_t now() const override { return 7; }
  void run_blocks(const fg::detail::kernel_call& call, std::int64_t blocks, fg::function_ref<void(std::int64_t)> block) override {
    CHECK(call.input_count == 3);
    for (std::int64_t i = 0; i < blocks; ++i) block(i);
    told += blocks;
  }
  void waited(const fg::detail::kernel_call&, std::string_view, std::string_view, std::int64_t) override {}
  void copied(const fg::call_site&, std::size_t, std::int64_t) override {}
  std::pmr::memory_resource* memory_over(std::pmr::memory_resource* from) override { return from; }

  std::int64_t told = 0;
};

}  // namespace

TEST_CASE("kernel_trace: hears of work items where the services of a kernel name one, and not elsewhere") {
  fg::run_services services;
  fg::detail::kernel_call call;
  call.run = &services;
  call.input_count = 3;
  counting_trace trace;
  std::int64_t ran = 0;
  fg::cpu(call).parallel_for(5, [&](std::int64_t) { ++ran; });
  CHECK(trace.told == 0);
  services.trace = &trace;
  fg::cpu(call).parallel_for(4, [&](std::int64_t) { ++ran; });
  fg::cpu(call).parallel_ranges(10, 4, [&](std::int64_t first, std::int64_t last) { ran += last - first; });
  fg::cpu(call).parallel_ranges(3, 4, [&](std::int64_t first, std::int64_t last) { ran += last - first; });
  CHECK(trace.told == 4 + 3 + 1);
  CHECK(ran == 5 + 4 + 10 + 3);
}
