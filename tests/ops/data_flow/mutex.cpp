#include <flowgraph/ops/data_flow/mutex.hpp>

#include "../../harness/engine_ops.hpp"

#include <chrono>
#include <latch>
#include <thread>

namespace fg = flowgraph;
using fg::error_code;
using namespace std::chrono_literals;

namespace {

struct critical_section {
  fg::graph g;
  fg::out<fg::resource> mutex = fg::apply_in<>(g, fg::mutex_v2_op{.container = {}, .shared_name = "m"});
  int inside = 0, most = 0, done = 0;  // guarded by the mutex of the graph alone

  fg::target section() {
    auto lock = fg::apply(fg::mutex_lock_op{}, mutex);
    auto locked = g.after(lock);
    auto body = engine::probe(g.constant(1.f), [this](fg::cpu) {
      most = std::max(most, ++inside);
      std::this_thread::sleep_for(1ms);
      --inside;
      ++done;
    });
    auto finished = g.after(body);
    return fg::apply(fg::consume_mutex_lock_op{}, lock);
  }
};

}  // namespace

TEST_CASE("one node at a time has the lock, in one run and in several at once") {
  critical_section t;
  std::vector<fg::target> sections;
  for (int i = 0; i < 4; ++i) sections.push_back(t.section());
  auto all = t.g.after_all(sections);
  auto end = fg::identity(t.g.placeholder<float>("x", {}));
  const auto x = t.g.output("x").value();
  fg::thread_pool pool(3);
  fg::session s{t.g, {.pool = &pool}};
  const auto run = [&] {
    for (int i = 0; i < 5; ++i) s.run(fg::fetch(end), {{fg::out<float>(x.source, x.port), 1.f}});
  };
  std::thread other(run);
  run();
  other.join();
  CHECK(t.done == 40);
  CHECK(t.most == 1);
}

TEST_CASE("a run that waits for a lock can be cancelled, and the next one gets it") {
  fg::graph g;
  auto mutex = fg::apply_in<>(g, fg::mutex_v2_op{});
  auto first = fg::apply(fg::mutex_lock_op{}, mutex);
  fg::out<fg::variant> second;
  {
    auto after = g.after(first);
    second = fg::apply(fg::mutex_lock_op{}, mutex);
  }
  auto held = g.after(second);
  auto consumed = fg::apply(fg::consume_mutex_lock_op{}, first);  // too late: the second waits for the first
  fg::session s{g};
  const auto stuck = s.try_run(consumed, {}, fg::run_options::within(20ms));
  REQUIRE_FALSE(stuck);
  CHECK(stuck.error().code() == error_code::deadline_exceeded);
  CHECK(s.try_run(fg::fetch(first)));
}

TEST_CASE("a run that waits for the lock of a mutex that is cleared ends with an error that names it") {
  fg::graph g;
  auto mutex = fg::apply_in<>(g, fg::mutex_v2_op{.container = {}, .shared_name = "m"});
  std::latch inside{1}, leave{1}, has_handle{1};
  auto lock = fg::apply(fg::mutex_lock_op{}, mutex);
  fg::target holds;
  {
    auto locked = g.after(lock);
    auto body = engine::probe(g.constant(1.f), [&](fg::cpu) {
      inside.count_down();
      leave.wait();
    });
    auto finished = g.after(body);
    holds = fg::apply(fg::consume_mutex_lock_op{}, lock);
  }
  fg::out<fg::variant> wanted;
  {
    auto found = g.after(mutex);
    auto told = engine::probe(g.constant(1.f), [&](fg::cpu) { has_handle.count_down(); });
    auto then = g.after(told);
    wanted = fg::apply(fg::mutex_lock_op{}, mutex, {.name = "wanted"});
  }
  fg::container resources;
  fg::session s{g, {.resources = &resources}};
  std::thread holder([&] { CHECK(s.try_run(holds)); });
  inside.wait();
  fg::error why;
  // The deadline fails this test instead of hanging it.
  std::thread waiter([&] { why = s.try_run(fg::fetch(wanted), {}, fg::run_options::within(20s)).error(); });
  has_handle.wait();
  resources.clear();
  waiter.join();
  leave.count_down();
  holder.join();
  CHECK(why.code() == error_code::cancelled);
  CHECK(why.node() == "wanted");
  for (const char* part : {"mutex 'm'", "container of the mutex was cleared"})
    CHECK(std::string_view(why.what()).find(part) != std::string_view::npos);
  CHECK(s.try_run(fg::fetch(wanted)));  // of a new mutex
}

TEST_CASE("a run that may not wait for the lock of a mutex ends at once with an error that names it") {
  fg::graph g;
  auto mutex = fg::apply_in<>(g, fg::mutex_v2_op{.container = {}, .shared_name = "m"});
  auto first = fg::apply(fg::mutex_lock_op{}, mutex);
  fg::out<fg::variant> second;
  {
    auto held = g.after(first);
    second = fg::apply(fg::mutex_lock_op{}, mutex);
  }
  fg::session s{g};
  const fg::run_options at_once{.may_wait = false};
  CHECK(s.try_run(fg::fetch(first), {}, at_once));
  const fg::error why = s.try_run(fg::fetch(first, second), {}, at_once).error();
  CHECK(why.code() == error_code::unavailable);
  CHECK(std::string_view(why.what()).find("mutex 'm'") != std::string_view::npos);
}

TEST_CASE("what is no lock is refused") {
  fg::graph g;
  auto lock = g.placeholder<fg::variant>("lock", {});
  auto consumed = fg::apply(fg::consume_mutex_lock_op{}, lock);
  const auto made = fg::session{g}.try_run(consumed, {{lock, fg::tensor<fg::variant>(fg::shape{})}});
  REQUIRE_FALSE(made);
  CHECK(made.error().code() == error_code::invalid_argument);
}
