#include <flowgraph/runtime/pause/session_pause.hpp>

#include "../../harness/engine_ops.hpp"

#include <chrono>
#include <optional>
#include <thread>

namespace fg = flowgraph;
using fg::error_code;
using namespace engine;
using namespace std::chrono_literals;

TEST_CASE("session_pause: runs and steps of other threads wait until it ends, those of its own thread do not") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto y = x + 1.f;
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  std::atomic<int> begun = 0, ended = 0;
  std::vector<std::thread> threads;
  {
    const auto rest = s.pause();
    CHECK(s.run(fg::fetch(y), {{x, 1.f}}).scalar() == 2.f);
    threads.emplace_back([&] {
      ++begun;
      CHECK(s.run(fg::fetch(y), {{x, 2.f}}).scalar() == 3.f);
      ++ended;
    });
    threads.emplace_back([&] {
      ++begun;
      CHECK(step(3.f).scalar() == 4.f);
      ++ended;
    });
    std::thread late([&] {
      const auto limit = fg::run_options::within(3ms);
      CHECK(s.try_run(fg::fetch(y), {{x, 1.f}}, limit).error().code() == error_code::deadline_exceeded);
    });
    late.join();
    while (begun < 2) std::this_thread::yield();
    std::this_thread::sleep_for(5ms);
    CHECK(ended == 0);
  }
  for (auto& t : threads) t.join();
  CHECK(ended == 2);
}

TEST_CASE("session_pause: waits for what computes, and not for a kernel that waits for another run") {
  for (const bool waits : {true, false}) {
    fg::graph g;
    std::optional<fg::done> pending;
    std::atomic<bool> is_out = false, has_ended = false;
    auto x = g.placeholder<float>("x", {});
    auto y = async_probe(x, [&](fg::cpu ctx, fg::done answer) {
      ctx.set_output(0, ctx.call().inputs[0]->tensor);
      if (waits) answer.waits(false);
      pending = std::move(answer);
      is_out = true;
    });
    fg::session s{g};
    std::thread other([&] {
      CHECK(s.run(fg::fetch(y), {{x, 7.f}}).scalar() == 7.f);
      has_ended = true;
    });
    while (!is_out) std::this_thread::yield();
    if (waits) {
      const auto rest = s.pause();
      (*pending)();  // stays where it is until the session goes on
      std::this_thread::sleep_for(3ms);
      CHECK_FALSE(has_ended);
    } else {
      CHECK(s.try_pause(fg::run_options::within(5ms)).error().code() == error_code::deadline_exceeded);
      CHECK_FALSE(has_ended);
      (*pending)();
    }
    other.join();
    CHECK(has_ended);
    const auto again = s.pause();
  }
}

TEST_CASE("session_pause: a closed session does not rest, and one that rests can be closed") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto y = x + 1.f;
  fg::session s{g};
  {
    const auto rest = s.pause();
    CHECK(s.try_pause().error().code() == error_code::failed_precondition);
    s.close();
  }
  CHECK(s.try_run(fg::fetch(y), {{x, 1.f}}).error().code() == error_code::cancelled);
  CHECK(s.try_pause().error().code() == error_code::cancelled);
}

// Each run adds one to two variables: at rest they are equal.
TEST_CASE("session_pause: many threads, with and without a pool, are at rest between two runs") {
  for (const bool has_pool : {false, true}) {
    fg::graph g;
    auto a = g.variable<float>("a", fg::tensor<float>(0.f)), b = g.variable<float>("b", fg::tensor<float>(0.f));
    const auto one = g.constant(1.f);
    auto first = fg::assign_add(a, one);
    fg::target both;
    {
      const auto after = g.after(first);
      both = fg::assign_add(b, one);
    }
    fg::thread_pool pool(2);
    fg::session s{g, {.pool = has_pool ? &pool : nullptr}};
    s.initialize();
    std::atomic<bool> stops = false;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([&, is_prepared = i == 2] {
        auto step = s.prepare(fg::feed(), both);
        while (!stops) is_prepared ? step() : s.run(both);
      });
    float last = -1;
    for (int i = 0; i < 100; ++i) {
      std::this_thread::sleep_for(100us);
      const auto rest = s.pause();
      const auto [x, y] = s.run(fg::fetch(a, b));
      CHECK(x.scalar() == y.scalar());
      CHECK(x.scalar() >= last);
      last = x.scalar();
    }
    stops = true;
    for (auto& t : threads) t.join();
    CHECK(last > 0);
  }
}
