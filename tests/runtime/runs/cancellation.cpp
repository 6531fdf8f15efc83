#include <flowgraph/runtime/options.hpp>

#include <flowgraph/core/threads.hpp>

#include "../../harness/engine_ops.hpp"
#include "../../core/latch.hpp"

using namespace engine;
using namespace std::chrono_literals;

namespace {

// A kernel that keeps its answer until it is told to stop, and counts how often that happens.
struct waiting_kernel {
  struct held {
    std::mutex mutex;
    std::optional<fg::done> answer;
    std::optional<fg::done> take() {
      std::lock_guard lock(mutex);
      return std::exchange(answer, std::nullopt);
    }
  };
  std::atomic<int> started = 0, stopped = 0;

  async_body body() {
    return [this](fg::cpu, fg::done answer) {
      auto h = std::make_shared<held>();
      answer.on_cancel([this, h] {
        ++stopped;
        if (auto a = h->take()) (*a)(fg::error(error_code::cancelled, "the kernel was told to stop"));
      });
      {
        std::lock_guard lock(h->mutex);
        h->answer = std::move(answer);
      }
      ++started;
    };
  }
};

struct endless {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {});
  fg::out<float> twice = add(x, x);
  fg::out<float> zero = g.constant(0.f);
  fg::out<float> y = counting_loop(zero, x, zero);  // while (0 < x) 0 + 0
};

}  // namespace

TEST_CASE("cancellation: a run that is cancelled before it begins runs nothing") {
  fg::graph g;
  std::atomic<int> runs = 0;
  auto x = g.placeholder<float>("x", {});
  auto y = counted(x, runs);
  flowgraph::stop_source source;
  source.request_stop();
  for (const bool dynamic : {false, true}) {
    fg::session s{g, {.dynamic = dynamic}};
    auto made = s.try_run(fg::fetch(y), {{x, 1.f}}, {.stop = source.get_token()});
    CHECK(made.error().code() == error_code::cancelled);
    auto late = s.try_run(fg::fetch(y), {{x, 1.f}}, fg::run_options::within(-1ns));
    CHECK(late.error().code() == error_code::deadline_exceeded);
  }
  CHECK(runs == 0);
}

TEST_CASE("cancellation: it takes effect after the kernel that is running, which can see it") {
  fg::graph g;
  std::atomic<int> after = 0;
  flowgraph::stop_source source;
  auto x = g.placeholder<float>("x", {});
  auto first = probe(x, [&](fg::cpu ctx) {
    CHECK_FALSE(ctx.stop_requested());
    source.request_stop();
    CHECK(ctx.stop_requested());
  });
  auto y = counted(first, after);
  fg::thread_pool pool(2);
  for (int way = 0; way < 3; ++way) {
    CAPTURE(way);
    source = flowgraph::stop_source();
    fg::session s{g, {.pool = way == 1 ? &pool : nullptr, .dynamic = way == 2}};
    CHECK(s.try_run(fg::fetch(y), {{x, 1.f}}, {.stop = source.get_token()}).error().code() == error_code::cancelled);
    CHECK(after == 0);
  }
}

TEST_CASE("cancellation: a long kernel sees a stop request and a deadline from outside") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  std::atomic<bool> began = false;
  auto y = probe(x, [&](fg::cpu ctx) {
    began = true;
    while (!ctx.stop_requested()) std::this_thread::yield();
  });
  fg::thread_pool pool(2);
  for (int way = 0; way < 4; ++way) {
    CAPTURE(way);
    fg::session s{g, {.pool = way == 1 ? &pool : nullptr, .dynamic = way == 2}};
    auto step = s.prepare(fg::feed(x), fg::fetch(y));
    auto run = [&](const fg::run_options& options) {
      return way == 3 ? step.try_run(options, 1.f).error() : s.try_run(fg::fetch(y), {{x, 1.f}}, options).error();
    };
    // Whether the node that saw it is the last one decides what comes of the run.
    const fg::error late = run(fg::run_options::within(5ms));
    CHECK((!late || late.code() == error_code::deadline_exceeded));
    began = false;
    flowgraph::stop_source source;
    std::thread stops([&] {
      while (!began) std::this_thread::yield();
      source.request_stop();
    });
    const fg::error cancelled = run({.stop = source.get_token()});
    CHECK((!cancelled || cancelled.code() == error_code::cancelled));
    stops.join();
  }
}

TEST_CASE("cancellation: an endless loop ends by its deadline and by a stop token") {
  endless e;
  fg::thread_pool pool(2);
  for (fg::thread_pool* p : {static_cast<fg::thread_pool*>(nullptr), &pool}) {
    fg::session s{e.g, {.pool = p}};
    const auto begin = std::chrono::steady_clock::now();
    CHECK(s.try_run(fg::fetch(e.y), {{e.x, 1.f}}, fg::run_options::within(10ms)).error().code() == error_code::deadline_exceeded);
    CHECK(std::chrono::steady_clock::now() - begin >= 10ms);
    check_usable(s, e.x, e.twice);
    flowgraph::stop_source source;
    std::thread stops([&] {
      std::this_thread::sleep_for(5ms);
      source.request_stop();
    });
    CHECK(s.try_run(fg::fetch(e.y), {{e.x, 1.f}}, {.stop = source.get_token()}).error().code() == error_code::cancelled);
    stops.join();
    check_usable(s, e.x, e.twice);
    CHECK(s.run(fg::fetch(e.y), {{e.x, 0.f}}).scalar() == 0.f);
  }
}

TEST_CASE("cancellation: a prepared step with an endless loop ends too") {
  endless e;
  fg::session s{e.g};
  auto step = s.prepare(fg::feed(e.x), fg::fetch(e.y));
  CHECK(step.try_run(fg::run_options::within(5ms), 1.f).error().code() == error_code::deadline_exceeded);
  CHECK(step.try_run({}, 0.f).has_value());
}

TEST_CASE("cancellation: an asynchronous kernel that waits is told exactly once") {
  fg::graph g;
  waiting_kernel waits;
  auto x = g.placeholder<float>("x", {});
  auto twice = add(x, x);
  auto y = async_probe(x, waits.body());
  fg::session s{g};
  int expected = 0;
  SUBCASE("by a stop token") {
    for (int i = 0; i < 3; ++i) {
      flowgraph::stop_source source;
      std::thread stops([&] {
        while (waits.started <= expected) std::this_thread::yield();
        source.request_stop();
      });
      CHECK(s.try_run(fg::fetch(y), {{x, 1.f}}, {.stop = source.get_token()}).error().code() == error_code::cancelled);
      stops.join();
      CHECK(waits.stopped == ++expected);
    }
  }
  SUBCASE("by a deadline") {
    for (int i = 0; i < 3; ++i) {
      CHECK(s.try_run(fg::fetch(y), {{x, 1.f}}, fg::run_options::within(3ms)).error().code() == error_code::deadline_exceeded);
      CHECK(waits.stopped == ++expected);
    }
  }
  SUBCASE("by an error elsewhere") {
    std::vector<std::thread> threads;
    auto later = async_probe(x, [&](fg::cpu, fg::done answer) {
      threads.emplace_back([&, answer = std::move(answer)]() mutable {
        while (waits.started <= expected) std::this_thread::yield();
        answer();
      });
    });
    auto bad = failing(later, {.name = "bad"});
    for (int i = 0; i < 3; ++i) {
      check_error(s.try_run(fg::fetch(y, bad), {{x, 1.f}}).error(), error_code::data_loss, "bad", "Probe");
      threads.back().join();
      CHECK(waits.stopped == ++expected);
    }
  }
  check_usable(s, x, twice);
}

TEST_CASE("cancellation: a run that waits for asynchronous kernels only names the first of them that is still out") {
  fg::graph g;
  waiting_kernel waits;
  auto x = g.placeholder<float>("x", {});
  auto quick = async_probe(x, [](fg::cpu, fg::done answer) { answer(); }, {.name = "quick"});
  auto y = async_probe(quick, waits.body(), {.name = "waits"});
  const unsigned line = __LINE__ - 1;
  auto z = async_probe(y, [](fg::cpu, fg::done answer) { answer(); }, {.name = "never_begun"});
  fg::session s{g};
  // Long enough for a busy machine to reach the kernel: before that, no node could be named.
  const fg::error late = s.try_run(fg::fetch(z), {{x, 1.f}}, fg::run_options::within(250ms)).error();
  check_error(late, error_code::deadline_exceeded, "waits", "AsyncProbe",
              {"deadline of 250 ms has passed", "waited for this node"});
  check_place(late, line, __FILE__);
  flowgraph::stop_source source;
  std::thread stops([&] {
    while (waits.started <= 1) std::this_thread::yield();
    source.request_stop();
  });
  check_error(s.try_run(fg::fetch(z), {{x, 1.f}}, {.stop = source.get_token()}).error(), error_code::cancelled, "waits",
              "AsyncProbe", {"was cancelled while it waited"});
  stops.join();
}

TEST_CASE("cancellation: one registered after the run was cancelled runs at once") {
  fg::graph g;
  flowgraph::stop_source source;
  std::atomic<int> stopped = 0;
  std::vector<std::thread> threads;
  auto x = g.placeholder<float>("x", {});
  auto y = async_probe(x, [&](fg::cpu ctx, fg::done answer) {
    threads.emplace_back([&, ctx, answer = std::move(answer)]() mutable {
      while (!ctx.stop_requested()) std::this_thread::yield();
      std::this_thread::sleep_for(2ms);  // the run has told its kernels by now
      answer.on_cancel([&] { ++stopped; });
      CHECK(stopped == 1);
      answer();
    });
    source.request_stop();
  });
  fg::session s{g};
  CHECK(s.try_run(fg::fetch(y), {{x, 1.f}}, {.stop = source.get_token()}));  // the kernel has done its work all the same
  for (auto& t : threads) t.join();
  CHECK(stopped == 1);
}

TEST_CASE("cancellation: a kernel that has done its work has done it for its run, unless something is left to run") {
  for (const bool is_last : {true, false}) {
    fg::graph g;
    std::optional<fg::done> pending;
    auto x = g.placeholder<float>("x", {});
    auto y = async_probe(x, [&](fg::cpu ctx, fg::done answer) {
      ctx.set_output(0, ctx.call().inputs[0]->tensor);
      answer.on_cancel([&] { (*std::exchange(pending, {}))(); });  // too late: it answers that it has been done
      pending = std::move(answer);
    });
    auto z = is_last ? y : y + 1.f;
    fg::session s{g};
    const auto made = s.try_run(fg::fetch(z), {{x, 3.f}}, fg::run_options::within(100ms));
    if (is_last) CHECK(made->scalar() == 3.f);
    else check_error(made.error(), error_code::deadline_exceeded, "AsyncProbe", "AsyncProbe", {"while it waited for this node"});
    CHECK(s.run(fg::fetch(x), {{x, 1.f}}).scalar() == 1.f);
  }
}

TEST_CASE("cancellation: a kernel that has answered is not told") {
  fg::graph g;
  std::atomic<int> told = 0;
  auto x = g.placeholder<float>("x", {});
  auto quick = async_probe(x, [&](fg::cpu, fg::done answer) {
    answer.on_cancel([&] { ++told; });
    answer();
    answer.on_cancel([&] { ++told; });
  });
  flowgraph::stop_source source;
  auto y = probe(quick, [&](fg::cpu) { source.request_stop(); });
  auto z = add(y, y);
  fg::session s{g};
  CHECK(s.try_run(fg::fetch(z), {{x, 1.f}}, {.stop = source.get_token()}).error().code() == error_code::cancelled);
  CHECK(told == 0);
}

TEST_CASE("cancellation: the first error wins and the other parts stop") {
  fg::graph g;
  std::atomic<int> after = 0;
  answering_threads threads;
  auto x = g.placeholder<float>("x", {});
  auto twice = add(x, x);
  auto first = async_probe(x, threads.after(1ms, fg::error(error_code::data_loss, "first")), {.name = "first"});
  auto second = async_probe(x, threads.after(20ms, fg::error(error_code::out_of_range, "second")), {.name = "second"});
  auto third = counted(async_probe(x, threads.after(10ms)), after);
  fg::session s{g};
  check_error(s.try_run(fg::fetch(add(first, second), third), {{x, 1.f}}).error(), error_code::data_loss, "first", "AsyncProbe",
              {"first"});
  CHECK(after == 0);
  check_usable(s, x, twice);
}

TEST_CASE("cancellation: kernels that run on a pool stop when one of them fails") {
  fg::graph g;
  fg::thread_pool pool(3);
  test::latch running{3};
  std::atomic<int> seen = 0, after = 0;
  auto x = g.placeholder<float>("x", {fg::any});
  auto wait = [&](fg::cpu ctx) {
    running.arrive_and_wait();
    while (!ctx.stop_requested()) std::this_thread::yield();
    ++seen;
  };
  auto a = counted(expensive_probe(x, wait), after), b = counted(expensive_probe(x, wait), after);
  auto bad = expensive_probe(x,
                             [&](fg::cpu ctx) {
                               running.arrive_and_wait();
                               ctx.fail(error_code::data_loss, "on the pool");
                             },
                             {.name = "bad"});
  fg::session s{g, {.pool = &pool}};
  check_error(s.try_run(fg::fetch(a, b, bad), {{x, zeros(4096)}}).error(), error_code::data_loss, "bad", "ExpensiveProbe",
              {"on the pool"});
  CHECK(seen == 2);
  CHECK(after == 0);
}

TEST_CASE("cancellation: a closed session refuses runs, steps and what a partial run goes on with; a second time too") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto y = add(x, x);
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  CHECK(step(2.f).scalar() == 4);
  auto partial = s.try_begin_partial(std::vector<fg::any_out>{x}, std::vector<fg::any_out>{y}).value();
  s.close();
  s.close();
  CHECK(s.try_run(fg::fetch(y), {{x, 1.f}}).error().code() == error_code::cancelled);
  CHECK(step.try_run(fg::run_options{}, fg::tensor<float>(2.f)).error().code() == error_code::cancelled);
  CHECK(s.try_prepare(fg::feed(x), fg::fetch(y)).error().code() == error_code::cancelled);
  CHECK(partial.try_continue(std::vector<fg::fed>{{x, 1.f}}, std::vector<fg::any_out>{y}).error().code() ==
        error_code::cancelled);
}

TEST_CASE("cancellation: closing ends a run that waits for a kernel, with its name") {
  fg::graph g;
  std::optional<fg::done> kept;
  test::latch waits{1};
  const auto x = g.placeholder<float>("x", {});
  const auto y =
      async_probe(x,
                  [&](fg::cpu, fg::done answer) {
                    kept.emplace(std::move(answer));
                    kept->on_cancel([&] { (*std::exchange(kept, std::nullopt))(fg::error(error_code::cancelled, "cancelled")); });
                    waits.count_down();
                  },
                  {.name = "waits"});
  fg::session s{g};
  std::thread closes([&] {
    waits.wait();
    s.close();
  });
  check_error(s.try_run(fg::fetch(y), {{x, 1.f}}).error(), error_code::cancelled, "waits", "AsyncProbe");
  closes.join();
}

TEST_CASE("cancellation: after closing while only a kernel on the pool runs, the kernels behind it do not start") {
  fg::graph g;
  fg::thread_pool pool(3);
  test::latch running{3};
  std::thread::id owner;
  std::atomic<int> after = 0;
  const auto x = g.placeholder<float>("x", {fg::any});
  // The kernel on the pool goes on until the calling thread, which has nothing else to run, knows that the session is closed.
  const auto wait = [&](fg::cpu ctx) {
    running.arrive_and_wait();
    if (std::this_thread::get_id() == owner) return;
    while (!ctx.stop_requested()) std::this_thread::yield();
    std::this_thread::sleep_for(50ms);
  };
  const auto both = add(expensive_probe(x, wait), expensive_probe(x, wait));
  const auto y = async_probe(both, [&](fg::cpu, fg::done answer) {
    ++after;
    answer();
  });
  fg::session s{g, {.pool = &pool}};
  std::thread closes([&] {
    running.arrive_and_wait();
    s.close();
    s.close();
  });
  owner = std::this_thread::get_id();
  CHECK(s.try_run(fg::fetch(y), {{x, zeros(4096)}}).error().code() == error_code::cancelled);
  closes.join();
  CHECK(after == 0);
}
