#include <flowgraph/core/thread_pool.hpp>

#include "latch.hpp"
#include "threads_of_this_process.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace fg = flowgraph;

namespace {

// How often each block was called.
std::vector<int> calls_of(fg::thread_pool& pool, std::int64_t blocks) {
  std::vector<int> calls(static_cast<std::size_t>(blocks));
  pool.parallel_for(blocks, [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; });
  return calls;
}

}  // namespace

TEST_CASE("a pool of one makes no thread: tasks run before submit returns, blocks in order") {
  const std::size_t before = test::threads_of_this_process();
  fg::thread_pool pool(1);
  CHECK(pool.size() == 1);
  CHECK(test::threads_of_this_process() == before);
  std::thread::id ran_on;
  pool.submit([&] { ran_on = std::this_thread::get_id(); });
  CHECK(ran_on == std::this_thread::get_id());
  std::vector<std::int64_t> order;
  pool.parallel_for(3, [&](std::int64_t i) { order.push_back(i); });
  CHECK(order == std::vector<std::int64_t>{0, 1, 2});
}

TEST_CASE("a pool makes one thread less than its size, and ends them all") {
  const std::size_t before = test::threads_of_this_process();
  {
    fg::thread_pool pool(4);
    CHECK(pool.size() == 4);
    if (before > 0) CHECK(test::threads_of_this_process() == before + 3);
  }
  // A joined thread may be counted by the system for a moment longer.
  for (int i = 0; i < 10'000 && test::threads_of_this_process() != before; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(test::threads_of_this_process() == before);
}

TEST_CASE("each block is called once, whatever their number") {
  fg::thread_pool pool(3);
  for (const std::int64_t blocks : {0, 1, 2, 3, 1000})
    CHECK(calls_of(pool, blocks) == std::vector<int>(static_cast<std::size_t>(blocks), 1));
}

TEST_CASE("the threads of the pool take part") {
  fg::thread_pool pool(2);
  test::latch both(2);  // neither block ends before the other has begun
  pool.parallel_for(2, [&](std::int64_t) { both.arrive_and_wait(); });
  CHECK(both.try_wait());
}

TEST_CASE("submitted tasks run on another thread, and all before the pool is gone") {
  std::atomic<int> ran = 0, on_the_caller = 0;
  {
    fg::thread_pool pool(3);
    for (int i = 0; i < 100; ++i)
      pool.submit([&, caller = std::this_thread::get_id()] {
        on_the_caller += std::this_thread::get_id() == caller;
        ++ran;
      });
  }
  CHECK(ran == 100);
  CHECK(on_the_caller == 0);
}

TEST_CASE("a task may submit tasks") {
  std::atomic<int> ran = 0;
  fg::thread_pool pool(2);
  test::latch end(10);
  for (int i = 0; i < 10; ++i)
    pool.submit([&] {
      pool.submit([&] {
        ++ran;
        end.count_down();
      });
    });
  end.wait();
  CHECK(ran == 10);
}

TEST_CASE("loops nest: in blocks of blocks") {
  fg::thread_pool pool(3);
  std::atomic<int> sum = 0;
  pool.parallel_for(
      8, [&](std::int64_t) { pool.parallel_for(8, [&](std::int64_t) { pool.parallel_for(8, [&](std::int64_t) { ++sum; }); }); });
  CHECK(sum == 512);
}

TEST_CASE("a loop inside a task ends even where every thread of the pool runs such a task") {
  fg::thread_pool pool(3);
  std::atomic<int> sum = 0;
  test::latch all_in(2), end(2);
  for (int t = 0; t < 2; ++t)
    pool.submit([&] {
      all_in.arrive_and_wait();  // both threads of the pool are inside a task now: nobody else can help
      pool.parallel_for(100, [&](std::int64_t) { ++sum; });
      end.count_down();
    });
  end.wait();
  CHECK(sum == 200);
}

TEST_CASE("many threads use one pool at once") {
  fg::thread_pool pool(3);
  std::vector<std::thread> callers;
  std::vector<std::int64_t> sums(6);
  for (std::int64_t& sum : sums)
    callers.emplace_back([&pool, &sum] {
      for (int repeat = 0; repeat < 50; ++repeat) {
        std::vector<std::int64_t> squares(20);
        pool.parallel_for(20, [&](std::int64_t i) { squares[static_cast<std::size_t>(i)] = i * i; });
        sum += std::accumulate(squares.begin(), squares.end(), std::int64_t{0});
      }
    });
  for (std::thread& t : callers) t.join();
  CHECK(sums == std::vector<std::int64_t>(6, 50 * 2470));
}

TEST_CASE("a thread that would wait helps: it takes blocks one at a time, and finds none when all have begun") {
  fg::thread_pool pool(2);
  CHECK_FALSE(pool.help());
  test::latch all_in(3), done(1);
  std::vector<std::thread::id> ran_on(3);
  std::thread caller([&] {
    pool.parallel_for(3, [&](std::int64_t i) {
      ran_on[static_cast<std::size_t>(i)] = std::this_thread::get_id();
      all_in.arrive_and_wait();  // a thread a block: the caller's, the pool's, and the one that helps
    });
    done.count_down();
  });
  while (!pool.help()) std::this_thread::yield();
  done.wait();
  caller.join();
  CHECK(std::count(ran_on.begin(), ran_on.end(), std::this_thread::get_id()) == 1);
  CHECK_FALSE(pool.help());
}

TEST_CASE("threads that spin take blocks and tasks, and end with their pool at once") {
  const auto begin = std::chrono::steady_clock::now();
  {
    fg::thread_pool pool(3, std::chrono::seconds(100));
    for (const std::int64_t blocks : {0, 1, 2, 3, 1000})
      CHECK(calls_of(pool, blocks) == std::vector<int>(static_cast<std::size_t>(blocks), 1));
    for (int repeat = 0; repeat < 20; ++repeat) {
      test::latch all(3);  // the caller waits for blocks of both threads
      pool.parallel_for(3, [&](std::int64_t) { all.arrive_and_wait(); });
      test::latch ran(1);
      pool.submit([&] { ran.count_down(); });
      ran.wait();
    }
  }
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(50));
}

TEST_CASE("a pool with a short spin: threads that sleep again take blocks too, also those of other callers") {
  fg::thread_pool pool(2, std::chrono::microseconds(20));
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    test::latch both(2);
    pool.parallel_for(2, [&](std::int64_t) { both.arrive_and_wait(); });
  }
  std::vector<std::thread> callers;
  std::atomic<std::int64_t> sum = 0;
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 100; ++repeat) pool.parallel_for(5, [&](std::int64_t i) { sum += i; });
    });
  for (std::thread& t : callers) t.join();
  CHECK(sum == 4 * 100 * 10);
}

#ifdef FLOWGRAPH_EXCEPTIONS
TEST_CASE("parallel_for throws the exception of a block when no thread runs blocks any more, and the pool remains usable") {
  for (const auto spin : {std::chrono::microseconds(0), std::chrono::microseconds(50)}) {
    fg::thread_pool pool(3, spin);
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::atomic<int> inside = 0;
      const auto block = [&](std::int64_t i) {
        ++inside;
        if (i % 5 == 4) {
          --inside;
          throw std::runtime_error("block");
        }
        --inside;
      };
      CHECK_THROWS_WITH(pool.parallel_for(100, block), "block");
      CHECK(inside == 0);
      CHECK(calls_of(pool, 10) == std::vector<int>(10, 1));
    }
  }
}
#endif
