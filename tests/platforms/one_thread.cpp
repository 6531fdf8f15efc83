// A build without threads: what would wait for another thread ends with an error. tools/platforms compiles it for such platforms.

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/train/coordinator.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;
using namespace std::chrono_literals;

#ifndef FLOWGRAPH_NO_THREADS
#error "this test is for builds without threads"
#endif

TEST_CASE("one thread: a run that waits for an element that nobody puts fails, names the node, and leaves the session usable") {
  fg::graph g;
  auto q = fg::fifo_queue<float>(g, {.capacity = 2});
  auto taken = q.dequeue();
  auto put = q.enqueue(g.constant(3.f));
  fg::session s{g};
  const auto stuck = s.try_run(fg::fetch(taken));
  REQUIRE_FALSE(stuck);
  CHECK(stuck.error().code() == fg::error_code::failed_precondition);
  CHECK(stuck.error().message().find("this build has no threads") != std::string_view::npos);
  const auto late = s.try_run(fg::fetch(taken), {}, {.deadline = fg::steady_time::after(5ms)});
  REQUIRE_FALSE(late);
  CHECK(late.error().code() == fg::error_code::deadline_exceeded);
  REQUIRE(s.try_run(put));
  const auto made = s.try_run(fg::fetch(taken));
  REQUIRE(made);
}

TEST_CASE("one thread: a pool is its caller alone, and runs what it is given") {
  fg::thread_pool pool(4);
  CHECK(pool.size() == 1);
  int ran = 0;
  pool.submit([&] { ++ran; });
  pool.parallel_for(10, [&](std::int64_t) { ++ran; });
  CHECK(ran == 11);
}

TEST_CASE("one thread: a coordinator refuses to start a thread, and runs the caller's work") {
  fg::coordinator workers;
  int ran = 0;
  workers.work_here([&](fg::stop_token) { ++ran; });
  CHECK(ran == 1);
  CHECK(workers.try_join());
  workers.start("reader", [&](fg::stop_token) { ++ran; });
  const auto made = workers.try_join();
  REQUIRE_FALSE(made);
  CHECK(made.error().code() == fg::error_code::unimplemented);
  CHECK(made.error().message().find("'reader'") != std::string_view::npos);
  CHECK(ran == 1);
}
