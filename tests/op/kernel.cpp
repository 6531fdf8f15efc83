#include <flowgraph/op/kernel.hpp>

#include "call.hpp"

#include <flowgraph/core/thread_pool.hpp>

#include "../core/memory.hpp"

#include <doctest/doctest.h>

using namespace test;

TEST_CASE("the first failure of a kernel counts") {
  kernel_caller c({});
  const fg::cpu ctx(c.call());
  CHECK_FALSE(ctx.failed());
  ctx.fail(fg::error_code::out_of_range, "first");
  ctx.fail(fg::error_code::internal, "second");
  ctx.fail(fg::error(fg::error_code::internal, "third"));
  CHECK(ctx.failed());
  CHECK(c.failure.message() == "first");
}

TEST_CASE("a failure without a code is an invalid argument") {
  kernel_caller literal({}), composed({}), checked({});
  fg::cpu(literal.call()).fail("no code");
  CHECK(literal.failure.code() == fg::error_code::invalid_argument);
  CHECK(literal.failure.message() == "no code");
  fg::cpu(composed.call()).fail(fg::message{"element ", 3, " is zero"});
  CHECK(composed.failure.code() == fg::error_code::invalid_argument);
  CHECK(composed.failure.message() == "element 3 is zero");
  const fg::cpu ctx(checked.call());
  CHECK_FALSE(fg::detail::fail_check(ctx, "a check"));
  CHECK(checked.failure.message() == "a check");
}

TEST_CASE("a kernel learns that its run is stopping") {
  kernel_caller c({});
  CHECK_FALSE(fg::cpu(c.call()).stop_requested());
  std::atomic<bool> stopping = false;
  c.services.stopping = &stopping;
  CHECK_FALSE(fg::cpu(c.call()).stop_requested());
  stopping = true;
  CHECK(fg::cpu(c.call()).stop_requested());
}

TEST_CASE("ranges cover everything once, in blocks cut by size alone") {
  fg::thread_pool pool(3);
  for (fg::thread_pool* p : {static_cast<fg::thread_pool*>(nullptr), &pool})
    for (const std::int64_t size : {0, 1, 99, 100, 101, 1000}) {
      kernel_caller c({});
      c.services.pool = p;
      std::vector<int> touched(static_cast<std::size_t>(size));
      std::atomic<int> blocks = 0, odd_cuts = 0;
      fg::cpu(c.call()).parallel_ranges(size, 100, [&](std::int64_t first, std::int64_t last) {
        ++blocks;
        odd_cuts += first % 100 != 0 || (last % 100 != 0 && last != size) || first >= last;
        for (std::int64_t i = first; i < last; ++i) ++touched[static_cast<std::size_t>(i)];
      });
      CHECK(blocks == (size + 99) / 100);
      CHECK(odd_cuts == 0);
      CHECK(touched == std::vector<int>(static_cast<std::size_t>(size), 1));
    }
}

TEST_CASE("a grain below 1 is taken as 1") {
  for (const std::int64_t grain : {std::int64_t{0}, std::int64_t{-5}}) {
    kernel_caller c({});
    int blocks = 0;
    fg::cpu(c.call()).parallel_ranges(3, grain, [&](std::int64_t first, std::int64_t last) {
      ++blocks;
      CHECK(last == first + 1);
    });
    CHECK(blocks == 3);
  }
}

TEST_CASE("outputs of a size that only the kernel knows come from the run's memory") {
  counting_memory memory;
  {
    kernel_caller c({}, {fg::edge_value(), fg::edge_value()});
    c.services.memory = &memory;
    const fg::cpu ctx(c.call());
    const auto y = fg::unsized<float>(ctx, 1).resize({3});
    CHECK(y.size() == 3);
    y[2] = 7;
    CHECK(c.output<float>(1)[2] == 7.f);
    CHECK(memory.in_use() >= 12);
    CHECK(ctx.output<std::string>(0, {2})[1].empty());
  }
  CHECK(memory.in_use() == 0);
}

TEST_CASE("an output that finds no memory is empty, and the kernel has failed") {
  refusing_memory none;
  kernel_caller c({}, {fg::edge_value()});
  c.services.memory = &none;
  const fg::cpu ctx(c.call());
  CHECK(ctx.output<float>(0, {3}).size() == 0);
  CHECK(c.failure.code() == fg::error_code::resource_exhausted);
}

TEST_CASE("tensors are handed on without copying") {
  kernel_caller c({edge<float>({2}, {1, 2})}, {fg::edge_value(), fg::edge_value()});
  const fg::cpu ctx(c.call());
  CHECK(ctx.input_count() == 1);
  CHECK(ctx.output_count() == 2);
  fg::unsized<float>(ctx, 0).share(ctx.input(0));
  fg::any_output_list(ctx, 1, 1).share(0, ctx.input(0));
  CHECK(c.outputs[0].tensor.data() == c.inputs[0].tensor.data());
  CHECK(c.outputs[1].tensor.data() == c.inputs[0].tensor.data());
}

TEST_CASE("a kernel asks for state by name") {
  kernel_caller c({});
  const fg::cpu ctx(c.call());
  CHECK(&ctx.resources() == &c.resources);
  CHECK(ctx.memory() == c.services.memory);
}
