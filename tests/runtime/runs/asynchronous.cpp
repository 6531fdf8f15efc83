#include <flowgraph/op/completion.hpp>

#include "../../harness/engine_ops.hpp"
#include "../../core/latch.hpp"

using namespace engine;
using namespace std::chrono_literals;

namespace {

// What every way of answering must lead to: y = 2 * x.
void check_answers(const async_body& body) {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto a = async_probe(x, body), b = async_probe(a, body);
  auto y = add(a, b);
  fg::thread_pool pool(2);
  for (fg::thread_pool* p : {static_cast<fg::thread_pool*>(nullptr), &pool}) {
    fg::session s{g, {.pool = p}};
    auto step = s.prepare(fg::feed(x), fg::fetch(y));
    for (float i = 1; i < 4; ++i) {
      CHECK(s.run(fg::fetch(y), {{x, i}}).scalar() == 2 * i);
      CHECK(step(i).scalar() == 2 * i);
    }
  }
}

}  // namespace

TEST_CASE("asynchronous: an answer before the kernel returns") {
  check_answers([](fg::cpu, fg::done answer) { answer(); });
}

TEST_CASE("asynchronous: an answer from another thread, later") {
  answering_threads threads;
  check_answers(threads.after(200us));
}

TEST_CASE("asynchronous: an answer from another thread while the kernel is still in its call") {
  std::vector<std::thread> threads;
  check_answers([&](fg::cpu ctx, fg::done answer) {
    test::latch answered{1};
    threads.emplace_back([&, answer = std::move(answer)]() mutable {
      answer();
      answered.count_down();
    });
    answered.wait();
    CHECK_FALSE(ctx.failed());  // the call is still there
  });
  for (auto& t : threads) t.join();
}

TEST_CASE("asynchronous: an answer from a pool's task") {
  fg::thread_pool pool(2);
  check_answers([&](fg::cpu, fg::done answer) { pool.submit([answer = std::move(answer)]() mutable { answer(); }); });
}

TEST_CASE("asynchronous: kernels wait at the same time, on one thread") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  std::vector<fg::done> waiting;
  constexpr std::size_t together = 20;
  auto collect = [&](fg::cpu, fg::done answer) {
    waiting.push_back(std::move(answer));
    if (waiting.size() < together) return;
    for (auto& a : waiting) a();
    waiting.clear();
  };
  fg::out<float> y = x;
  for (std::size_t i = 0; i < together; ++i) y = add(y, async_probe(x, collect));
  fg::session s{g};
  for (int round = 0; round < 3; ++round) CHECK(s.run(fg::fetch(y), {{x, 1.f}}).scalar() == 21.f);
}

TEST_CASE("asynchronous: other nodes run while a kernel waits") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  std::optional<fg::done> waiting;
  test::latch waits{1};
  std::vector<std::thread> threads;
  auto slow = async_probe(x, [&](fg::cpu, fg::done answer) {
    waiting.emplace(std::move(answer));
    waits.count_down();
  });
  auto other = async_probe(x, [&](fg::cpu, fg::done answer) {
    threads.emplace_back([&, answer = std::move(answer)]() mutable {
      waits.wait();
      answer();
    });
  });
  auto answers_slow = probe(add(other, other), [&](fg::cpu) { (*waiting)(); });
  fg::session s{g};
  auto [a, b] = s.run(fg::fetch(slow, answers_slow), {{x, 3.f}});
  CHECK(a.scalar() == 3.f);
  CHECK(b.scalar() == 6.f);
  for (auto& t : threads) t.join();
}

TEST_CASE("asynchronous: only the first answer counts") {
  check_answers([](fg::cpu, fg::done answer) {
    answer();
    answer(fg::error(error_code::internal, "too late"));
  });
}

TEST_CASE("asynchronous: an error is named like any other, from the answer or from the context") {
  fg::graph g;
  answering_threads threads;
  auto x = g.placeholder<float>("x", {});
  auto twice = add(x, x);
  const async_body refuses = threads.after(100us, fg::error(error_code::out_of_range, "in the answer"));
  auto told = async_probe(x, refuses, {.name = "told"});
  const unsigned line = __LINE__ - 1;
  auto failed = async_probe(x,
                            [](fg::cpu ctx, fg::done answer) {
                              ctx.fail(error_code::data_loss, "in the context");
                              answer();
                            },
                            {.name = "failed"});
  fg::session s{g};
  const fg::error why = s.try_run(fg::fetch(told), {{x, 1.f}}).error();
  check_error(why, error_code::out_of_range, "told", "AsyncProbe", {"in the answer"});
  check_place(why, line, __FILE__);
  check_error(s.try_run(fg::fetch(failed), {{x, 1.f}}).error(), error_code::data_loss, "failed", "AsyncProbe",
              {"in the context"});
  check_usable(s, x, twice);
}

TEST_CASE("asynchronous: a completion dropped unanswered is an error, not a hang") {
  fg::graph g;
  std::vector<std::thread> threads;
  auto x = g.placeholder<float>("x", {});
  auto twice = add(x, x);
  auto at_once = async_probe(x, [](fg::cpu, fg::done) {}, {.name = "at_once"});
  auto later = async_probe(x,
                           [&](fg::cpu, fg::done answer) {
                             threads.emplace_back([answer = std::move(answer)]() mutable {
                               std::this_thread::sleep_for(1ms);
                               const fg::done dropped = std::move(answer);
                             });
                           },
                           {.name = "later"});
  fg::session s{g};
  check_error(s.try_run(fg::fetch(at_once), {{x, 1.f}}).error(), error_code::internal, "at_once", "AsyncProbe", {"dropped"});
  check_error(s.try_run(fg::fetch(later), {{x, 1.f}}).error(), error_code::internal, "later", "AsyncProbe", {"dropped"});
  check_usable(s, x, twice);
  for (auto& t : threads) t.join();
}

TEST_CASE("asynchronous: an answer is taken without a question to the kernels that are still out") {
  fg::graph g;
  std::atomic<bool> went_on = false, in_time = false;
  std::vector<std::thread> threads;
  auto x = g.placeholder<float>("x", {});
  // A second registration destroys the first one under the lock of its kernel's answer: who asks that kernel waits meanwhile.
  struct slow_to_die {
    std::atomic<bool>*went_on, *in_time;
    std::atomic<bool>& holds;
    ~slow_to_die() {
      holds = true;
      for (int i = 0; i < 5'000 && !*went_on; ++i) std::this_thread::sleep_for(1ms);
      in_time->store(went_on->load());
    }
  };
  std::atomic<bool> holds = false;
  auto still_out = async_probe(x, [&](fg::cpu, fg::done answer) {
    threads.emplace_back([&, answer = std::move(answer)]() mutable {
      answer.on_cancel([kept = std::make_unique<slow_to_die>(&went_on, &in_time, holds)] {});
      answer.on_cancel([] {});
      answer();
    });
  });
  auto answered = async_probe(x, [&](fg::cpu, fg::done answer) {
    threads.emplace_back([&, answer = std::move(answer)]() mutable {
      while (!holds) std::this_thread::yield();
      answer();
    });
  });
  auto after = probe(answered, [&](fg::cpu) { went_on = true; });
  fg::session s{g};
  auto [a, b] = s.run(fg::fetch(still_out, after), {{x, 3.f}});
  CHECK(a.scalar() == 3.f);
  CHECK(b.scalar() == 3.f);
  CHECK(in_time);
  for (auto& t : threads) t.join();
}

TEST_CASE("asynchronous: a run that failed waits for the kernels that have not answered") {
  fg::graph g;
  std::vector<std::thread> threads;
  std::atomic<bool> began = false, answered = false;
  auto x = g.placeholder<float>("x", {fg::any});
  auto slow = async_probe(x, [&](fg::cpu ctx, fg::done answer) {
    began = true;
    threads.emplace_back([&, ctx, answer = std::move(answer)]() mutable {
      std::this_thread::sleep_for(5ms);
      const auto mine = ctx.input(0).as<float>();  // what the kernel was given is still there
      float sum = 0;
      for (const float e : mine) sum += e;
      CHECK(sum == 0.f);
      answered = true;
      answer();
    });
  });
  auto bad = async_probe(x, [&](fg::cpu, fg::done answer) {
    threads.emplace_back([&, answer = std::move(answer)]() mutable {
      while (!began) std::this_thread::yield();
      answer(fg::error(error_code::data_loss, "at once"));
    });
  });
  fg::session s{g};
  CHECK(s.try_run(fg::fetch(slow, bad), {{x, zeros(100)}}).error().code() == error_code::data_loss);
  CHECK(answered);
  for (auto& t : threads) t.join();
}

TEST_CASE("asynchronous: a Merge that has chosen leaves the input alone that is still in the making") {
  fg::graph g;
  std::vector<std::thread> threads;
  std::atomic<bool> chosen = false;
  auto x = g.placeholder<float>("x", {fg::any});
  auto late = async_probe(x, [&](fg::cpu ctx, fg::done answer) {
    threads.emplace_back([&, ctx, answer = std::move(answer)]() mutable {
      while (!chosen) std::this_thread::yield();
      for (float& e : ctx.call().outputs[0]->tensor.as_writable<float>()) e = 7.f;
      answer();
    });
  });
  auto merged = fg::merge({add(x, x), late});
  auto after = probe(merged.value, [&](fg::cpu) { chosen = true; });
  fg::session s{g};
  for (int i = 0; i < 3; ++i) {
    chosen = false;
    auto [value, index, seen] = s.run(fg::fetch(merged.value, merged.index, after), {{x, fg::tensor<float>({2}, {1.f, 2.f})}});
    CHECK(to_vector(value) == std::vector<float>{2.f, 4.f});
    CHECK(index.scalar() == 0);
  }
  for (auto& t : threads) t.join();
}

TEST_CASE("asynchronous: inside loops, with iterations that overlap") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto n = g.placeholder<float>("n", {});
  for (const int parallel : {1, 2, 10}) {
    CAPTURE(parallel);
    answering_threads threads;
    const loop_options o{"loop" + std::to_string(parallel), parallel};
    auto body = threads.after(20us);
    const values made = loop(
        {x, x}, [&](const values& v) { return less(v[0], invariant(n, o)); },
        [&](const values& v) {
          auto slow = async_probe(v[0], [&](fg::cpu c, fg::done d) { body(c, std::move(d)); });
          return values{add(v[0], invariant(x, o)), add(v[1], slow)};
        },
        o);
    fg::session s{g};
    auto [i, sum] = s.run(fg::fetch(made[0], made[1]), {{x, 1.f}, {n, 30.f}});
    CHECK(i.scalar() == 30.f);
    CHECK(sum.scalar() == 1.f + 29 * 30 / 2);
  }
}

TEST_CASE("asynchronous: the session waits for nothing once a run has ended") {
  fg::graph g;
  std::shared_ptr<std::optional<fg::done>> kept = std::make_shared<std::optional<fg::done>>();
  auto x = g.placeholder<float>("x", {});
  auto y = async_probe(x, [&](fg::cpu, fg::done answer) {
    answer();
    kept->emplace(std::move(answer));  // the handle outlives run, session and graph
  });
  {
    fg::session s{g};
    CHECK(s.run(fg::fetch(y), {{x, 1.f}}).scalar() == 1.f);
  }
  (**kept)(fg::error(error_code::internal, "nobody listens"));
}
