// A task that was asleep for so long that its peers may have given it up does nothing more for earlier requests.

#include <distributed/sleep_watch.hpp>

#include <distributed/guarded_transport.hpp>
#include <distributed/worker.hpp>

#include "simulated_cluster.hpp"

#include <flowgraph/graph/registration.hpp>
#include <flowgraph/io/graph_record.hpp>
#include <flowgraph/ops/data_flow/fifo_queue.hpp>

using namespace flowgraph_test;
using namespace std::chrono_literals;
namespace wire = fg::distributed;

namespace {

struct counted_clock final : fg::task_clock {
  std::chrono::nanoseconds time{1s};
  std::chrono::nanoseconds now() const override { return time; }
  void call_at(std::chrono::nanoseconds, fg::unique_function<void()>) override {}
};

int touched = 0;
void (*on_touch)() = [] {};

// Counts the runs of its kernel.
struct touch_op {
  static constexpr std::string_view name = "Touch";
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> y) const {
    std::copy(x.begin(), x.end(), y.begin());
    ++touched;
    on_touch();
  }
};

counted_clock* asleep_in_kernel = nullptr;

// Both the variable and the queue are at task 1.
struct state_at_one {
  fg::graph g;
  fg::variable<float> v;
  fg::out<float> x = g.placeholder<float>("x", {}), sum, taken;
  fg::target put;

  state_at_one() {
    const auto on = g.on_device("/job:worker/task:1");
    v = g.variable("v", fg::tensor<float>(fg::shape{}, {0}));
    sum = fg::assign_add(v, x);
    fg::fifo_queue<float> q(g, {.capacity = 4});
    put = q.enqueue(x);
    taken = q.dequeue();
  }
};

}  // namespace

TEST_CASE("sleep watch: it counts sleeps beyond the limit, once each, and none while nothing ticks") {
  counted_clock clock;
  wire::sleep_watch watch(clock, 1500ms);
  clock.time += 10s;
  CHECK(watch.sleeps() == 0);
  watch.tick(clock.time);
  clock.time += 1500ms;
  CHECK(watch.sleeps() == 0);
  clock.time += 1ns;
  CHECK(watch.sleeps() == 1);
  CHECK(watch.sleeps() == 1);
  clock.time += 2s;
  watch.tick(clock.time);
  CHECK(watch.sleeps() == 2);
  watch.rest();
  clock.time += 10s;
  CHECK(watch.sleeps() == 2);
}

TEST_CASE("sleep watch: a run whose task sleeps within a kernel ends before the next one, and later runs go on") {
  fg::registry ops;
  ops.add(fg::forward_table<touch_op>, std::source_location::current()).value();
  ops.add(fg::forward_table<fg::placeholder_op, float>, std::source_location::current()).value();
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  fg::out<float> y = x;
  for (int i = 0; i < 3; ++i) y = fg::apply(touch_op{}, y);
  wire::part_record part;
  part.graph = fg::record_of(g).value();
  part.feeds = {x.source->id};
  part.fetches = {{y.source->id, 0}};

  fg::simulated_network net(1);
  const auto by = net.host("a");
  const fg::cluster all{{"worker", {"a:1"}}};
  wire::peers others(*by, all, {[](wire::lost_link, const fg::error&) {}, nullptr});
  counted_clock clock;
  wire::sleep_watch watch(clock, 1500ms);
  wire::worker keeps(*by, ops, others, std::pmr::new_delete_resource());
  keeps.watch = &watch;
  watch.tick(clock.time);
  REQUIRE_FALSE(keeps.register_part(nullptr, 5, false, 0, part));
  const auto run = [&](std::uint64_t step) {
    touched = 0;
    fg::error ended(fg::error_code::internal, "it has not ended");
    keeps.run_part(std::uint64_t{5} << 32 | step, 0, 0, {fg::tensor<float>(fg::shape{}, {1}).erased()}, {}, true,
                   [&](const fg::error& why, auto&&) { ended = why; });
    net.run_for(10ms);
    return ended;
  };
  CHECK_FALSE(run(1));
  CHECK(touched == 3);
  asleep_in_kernel = &clock;
  on_touch = [] { asleep_in_kernel->time += touched == 2 ? 5s : 0s; };
  CHECK(run(2).code() == fg::error_code::unavailable);
  CHECK(touched == 2);
  on_touch = [] {};
  CHECK_FALSE(run(3));
  CHECK(touched == 3);
}

TEST_CASE(
    "sleep watch: what lay unread while a task slept is heard once the other end gives a sign, and never where it has gone") {
  for (const auto time : {2000ms, 5000ms}) {
    CAPTURE(time.count());
    struct hearer final : fg::link_user {
      std::vector<std::string> heard;
      void receive(fg::frame came) override { heard.emplace_back(came.body); }
      void lost(const fg::error&) override { heard.emplace_back("lost"); }
    };
    fg::simulated_network net(3);
    const auto user = std::make_shared<hearer>(), other = std::make_shared<hearer>();
    int woken = 0;
    const auto inner = net.host("a");
    wire::guard_options of_a{.self = {"task a", 11}};
    of_a.watch = std::make_shared<wire::sleep_watch>(inner->clock(), 1500ms);
    of_a.on_wake = [&] {
      ++woken;
      CHECK(user->heard.size() == 1);  // no frame since
    };
    const auto a = wire::guarded(inner, of_a), b = wire::guarded(net.host("b"), {.self = {"task b", 22}});
    REQUIRE(a->listen("a:1", [&](const auto&) { return user; }));
    const auto link = b->connect("a:1", other);
    const auto send = [&](const char* text) {
      fg::frame f;
      f.body = text;
      link->send(std::move(f));
    };
    send("before");
    net.run_for(2s);
    net.pause("a");
    send("first");
    send("second");
    net.run_for(time);
    net.resume("a");
    net.run_for(4s);
    CHECK(woken == 1);
    const bool is_there = time == 2000ms;
    CHECK(user->heard ==
          (is_there ? std::vector<std::string>{"before", "first", "second"} : std::vector<std::string>{"before", "lost"}));
    if (!is_there) continue;
    send("after");
    net.run_for(1s);
    CHECK(user->heard.back() == "after");
  }
}

TEST_CASE("sleep watch: a task that wakes after its step was given up writes nothing of it") {
  int given_up = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    // Kernels begin late, so that many tasks fall asleep right before.
    simulated_cluster cluster(2, seed, cluster_ops(), {}, {.most_compute = 500ms});
    state_at_one a;
    fg::session s{a.g, cluster.connect()};
    s.initialize();
    REQUIRE(s.run(fg::fetch(a.sum), {{a.x, 1.f}}).scalar() == 1);
    const auto when = cluster.net.now() + std::chrono::milliseconds(cluster.net.draw(800));
    cluster.net.at(when, [&] { cluster.net.pause("b"); });
    const bool is_done = s.try_run(fg::fetch(a.sum), {{a.x, 1.f}}).has_value();
    cluster.net.run_for(4s);
    cluster.net.resume("b");
    cluster.net.run_for(5s);
    given_up += is_done ? 0 : 1;
    CHECK(s.run(fg::fetch(a.v)).scalar() == (is_done ? 2.f : 1.f));
  }
  CHECK(given_up > 5);
}

TEST_CASE("sleep watch: a run that waits at a queue ends with the sleep, and the next element is another's") {
  simulated_cluster cluster(3);
  state_at_one a;
  fg::session s{a.g, cluster.connect()}, other{a.g, cluster.connect(2)};
  cluster.net.at(cluster.net.now() + 1s, [&] { cluster.net.pause("b"); });
  cluster.net.at(cluster.net.now() + 5s, [&] { cluster.net.resume("b"); });
  const auto failed = s.try_run(fg::fetch(a.taken));
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code() == fg::error_code::unavailable);
  cluster.net.run_for(5s);
  other.run(a.put, {{a.x, 7.f}});
  CHECK(other.run(fg::fetch(a.taken)).scalar() == 7);
}
