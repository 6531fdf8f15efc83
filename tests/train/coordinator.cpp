#include <flowgraph/train/coordinator.hpp>

#include <doctest/doctest.h>

#include "thread_limit.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace fg = flowgraph;
using namespace std::chrono_literals;

namespace {

void until_stopped(std::stop_token stop) {
  while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
}

}  // namespace

TEST_CASE("all work ends when somebody asks for it") {
  fg::coordinator workers;
  std::atomic<int> ended = 0;
  for (int i = 0; i < 3; ++i)
    workers.start("worker", [&](std::stop_token stop) {
      until_stopped(std::move(stop));
      ++ended;
    });
  std::thread mine([&] { workers.work_here([](std::stop_token stop) { until_stopped(std::move(stop)); }); });
  CHECK_FALSE(workers.stop_requested());
  const auto late = workers.try_join(fg::steady_time::after(20ms));
  CHECK(late.error().code() == fg::error_code::deadline_exceeded);
  CHECK(late.error().message().find("'worker'") != std::string_view::npos);
  workers.request_stop();
  workers.join(fg::steady_time::after(30s));
  CHECK(ended == 3);
  mine.join();
}

TEST_CASE("the first reason ends all, and is what join gives") {
  fg::coordinator workers;
  workers.start("waits", until_stopped);
  workers.fail(fg::error(fg::error_code::data_loss, "the first"));
  workers.fail(fg::error(fg::error_code::internal, "the second"));
  const auto made = workers.try_join();
  CHECK(made.error().code() == fg::error_code::data_loss);
  CHECK(workers.token().stop_requested());
}

#ifdef FLOWGRAPH_EXCEPTIONS
TEST_CASE("what a thread throws is thrown by join") {
  fg::coordinator workers;
  workers.start("waits", until_stopped);
  workers.start("throws", [](std::stop_token) { throw std::out_of_range("of the thread"); });
  CHECK_THROWS_AS(workers.join(), std::out_of_range);
  CHECK(workers.try_join().error().message().find("of the thread") != std::string_view::npos);
  fg::coordinator others;
  others.work_here([](std::stop_token) { throw fg::error(fg::error_code::aborted, "an error"); });
  CHECK(others.try_join().error().code() == fg::error_code::aborted);
}
#endif

TEST_CASE("a coordinator that goes ends its threads") {
  std::atomic<bool> ended = false;
  {
    fg::coordinator workers;
    workers.start("waits", [&](std::stop_token stop) {
      until_stopped(std::move(stop));
      ended = true;
    });
  }
  CHECK(ended);
}

#ifdef LIMITS_THREADS
TEST_CASE("a thread that cannot be started ends all, and is not waited for") {
  if (flowgraph_test::is_sanitized) return;
  fg::coordinator workers;
  {
    const training_tests::thread_limit few;
    for (int i = 0; i < 200 && !workers.stop_requested(); ++i) workers.start("worker", until_stopped);
  }
  CHECK(workers.stop_requested());
  const auto made = workers.try_join(fg::steady_time::after(30s));
  CHECK(made.error().code() == fg::error_code::resource_exhausted);
  CHECK(made.error().message().find("'worker'") != std::string_view::npos);
}
#endif
