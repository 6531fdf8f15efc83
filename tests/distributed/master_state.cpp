// The state of a remote session: saved while it is paused, and loaded by another session, bit by bit.

#include "../harness/free_addresses.hpp"
#include "simulated_cluster.hpp"

#include <flowgraph/distributed/tcp.hpp>
#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/ops/data_flow/random_shuffle_queue.hpp>
#include <flowgraph/ops/random/dropout.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/train/state_bytes.hpp>

#include <thread>

using namespace flowgraph_test;
using namespace std::chrono_literals;

namespace {

std::vector<float> elements(const fg::tensor<float>& t) { return {t.data(), t.data() + t.size()}; }

// One task draws examples, another mixes them, and the first uses them, with dropout. Without tasks, the graph requires no
// device. The queue is full whenever an element is drawn from it, so that threads do not change the choice.
struct fed_model {
  fg::graph g;
  fg::target produce, end, initial;
  fg::out<std::int32_t> there;
  fg::variable<float> w;
  fg::out<float> train, drawn;
  fg::out<float> saved = g.placeholder<float>("saved", {3, 2}), restored;

  explicit fed_model(bool is_far, int capacity = 17) {
    const auto on = [&](int t) { return g.on_device(is_far ? std::string(fg::message{"/job:worker/task:", t}) : ""); };
    fg::out<float> fresh, x;
    {
      const auto first = on(0);
      fresh = fg::random_uniform<float>(g, g.constant(fg::tensor<std::int32_t>({2}, {5, 3})), {.seed = 4});
      drawn = fg::random_uniform<float>(g, {2}, {.seed = 8});
    }
    {
      const auto second = on(1);
      fg::random_shuffle_queue<float> examples(g, {.capacity = capacity, .min_after_dequeue = 16, .seed = 11, .shapes = {{3}}});
      produce = examples.enqueue_many(fresh);
      end = examples.close(true);
      there = examples.size();
      x = examples.dequeue_many(8);
    }
    const auto first = on(0);
    w = g.variable<float>("w", fg::tensor<float>({3, 2}, {1, -2, 3, -4, 5, -6}));
    restored = fg::assign(w, saved);
    const auto moved = fg::dropout(fg::matmul(x, w), 0.5f, 9);
    train = fg::assign_sub(w, fg::matmul(x, moved, {.transpose_a = true}) * 0.01f);
  }
  fg::tensor<float> value(fg::session& s) const { return s.run(fg::fetch(w)); }
};

// Adds examples until the queue is closed, or the test has failed.
class producer {
public:
  producer(const fed_model& m, fg::session& s)
      : model_(m), session_(s), works_([this] {
          while (session_.try_run(model_.produce)) {}
        }) {}
  ~producer() {
    (void)session_.try_run(model_.end);
    works_.join();
  }

private:
  const fed_model& model_;
  fg::session& session_;
  std::thread works_;
};

// The variables, and the other state.
struct checkpoint {
  fg::tensor<float> w;
  std::string state;

  static checkpoint of(const fed_model& m, fg::session& s) {
    const auto rest = s.pause();
    return {m.value(s), fg::to_bytes(s.save_state())};
  }
  void restore(const fed_model& m, fg::session& s) const {
    s.load_state(fg::parse_saved_state(state).value());
    s.run(fg::fetch(m.restored), {{m.saved, w}});
  }
};

// Runs twelve steps beside a producer, in one process.
std::vector<float> undisturbed() {
  fed_model m(false);
  fg::session s{m.g};
  s.initialize();
  const producer fills(m, s);
  for (int i = 0; i < 12; ++i) s.run(fg::fetch(m.train));
  return elements(m.value(s));
}

struct tcp_pair {
  std::vector<std::string> addresses = free_addresses(2);
  fg::cluster all{{"worker", addresses}};
  fg::tcp::server first{all, "worker", 0, cluster_ops()}, second{all, "worker", 1, cluster_ops()};
  fg::session_target connect() const { return fg::tcp::connect(addresses[0]); }
};

}  // namespace

TEST_CASE(
    "master state: with dropout and a shuffled queue on two tasks, a run whose tasks are killed ends with the bits of one "
    "process") {
  // A batch takes eight examples. Ten are added before it, and sixteen remain.
  const auto step = [](fed_model& m, fg::session& s) {
    for (int i = 0; i < 2; ++i) s.run(m.produce);
    s.run(fg::fetch(m.train));
  };
  fed_model near(false, 100), far(true, 100);
  fg::session here{near.g};
  here.initialize();
  for (int i = 0; i < 3; ++i) here.run(near.produce);
  for (int i = 0; i < 12; ++i) step(near, here);

  simulated_cluster cluster(2);
  std::optional<checkpoint> last;
  for (int start = 0; start < 12; start += 3) {
    fg::session s{far.g, cluster.connect()};
    if (last) {
      last->restore(far, s);
    } else {
      s.initialize();
      for (int i = 0; i < 3; ++i) s.run(far.produce);
    }
    for (int i = 0; i < 3; ++i) step(far, s);
    last = checkpoint::of(far, s);
    step(far, s);  // this step is lost
    for (const std::uint32_t t : {0u, 1u}) {
      cluster.kill(t);
      cluster.restart(t);
    }
    const auto lost = s.try_run(fg::fetch(far.w));
    CHECK_FALSE(lost.has_value());
  }
  CHECK(elements(last->w) == elements(near.value(here)));
}

// Twelve steps beside a producer. Each session runs three of them, and is lost with all tasks.
TEST_CASE("master state: with a producer in a thread of its own, over TCP, the bits are those of one process too") {
  std::optional<checkpoint> last;
  for (int start = 0; start < 12; start += 3) {
    const tcp_pair cluster;
    fed_model m(true);
    fg::session s{m.g, cluster.connect()};
    if (last) last->restore(m, s);
    else s.initialize();
    const producer fills(m, s);
    for (int i = 0; i < 3; ++i) s.run(fg::fetch(m.train));
    last = checkpoint::of(m, s);
    s.run(fg::fetch(m.train));  // this step is lost
  }
  CHECK(elements(last->w) == undisturbed());
}

TEST_CASE("master state: what a cluster has saved a session of one process loads, and the other way round") {
  const std::vector<float> expected = undisturbed();
  for (const bool begins_far : {true, false}) {
    const tcp_pair cluster;
    std::optional<checkpoint> half;
    fg::tensor<float> made;
    for (const bool is_second : {false, true}) {
      const bool is_far = is_second != begins_far;
      fed_model m(is_far);
      fg::session s{m.g, is_far ? cluster.connect() : fg::session_target()};
      if (half) half->restore(m, s);
      else s.initialize();
      const producer fills(m, s);
      for (int i = 0; i < 6; ++i) s.run(fg::fetch(m.train));
      half = checkpoint::of(m, s);
      made = half->w;
    }
    CHECK(elements(made) == expected);
  }
}

TEST_CASE("master state: a run that waits with half a batch is begun anew by the session that resumes") {
  std::optional<checkpoint> half;
  const auto begin = [](fed_model& m, fg::session& s) {
    s.initialize();
    for (int i = 0; i < 3; ++i) s.run(m.produce);
  };
  std::vector<float> expected;
  for (const bool saves : {false, true}) {
    const tcp_pair cluster;
    fed_model m(true);
    fg::session s{m.g, cluster.connect()};
    begin(m, s);
    std::thread trainer([&] { s.run(fg::fetch(m.train)); });
    s.run(m.produce);  // 20 examples by now: 16 remain, 4 of 8 are collected
    if (saves) {
      while (s.run(fg::fetch(m.there)).scalar() != 16) std::this_thread::yield();
      half = checkpoint::of(m, s);
    }
    s.run(m.produce);
    trainer.join();
    if (saves) CHECK(elements(m.value(s)) == expected);
    else expected = elements(m.value(s));
  }
  const tcp_pair cluster;
  fed_model m(true);
  fg::session s{m.g, cluster.connect()};
  half->restore(m, s);
  std::thread trainer([&] { s.run(fg::fetch(m.train)); });
  s.run(m.produce);
  trainer.join();
  CHECK(elements(m.value(s)) == expected);
}

TEST_CASE("master state: runs of other edges that share a node draw on, as in one process") {
  simulated_cluster cluster(2);
  fed_model far(true), near(false);
  fg::session there{far.g, cluster.connect()}, here{near.g};
  const auto both = [](fed_model& m, fg::session& s) {
    std::vector<float> made = elements(s.run(fg::fetch(m.drawn)));
    for (const float v : elements(s.run(fg::fetch(m.drawn + 0.f)))) made.push_back(v);
    return made;
  };
  CHECK(both(far, there) == both(near, here));
}

TEST_CASE("master state: a step is saved as a whole or not at all, whoever runs it meanwhile") {
  // A step counts on two tasks, with a value that crosses: at any time of saving, both have the same count.
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    simulated_cluster cluster(2, seed);
    fg::graph g;
    fg::out<float> a, b;
    fg::variable<float> v, u;
    {
      const auto on = g.on_device("/job:worker/task:0");
      v = g.variable("v", fg::tensor<float>(fg::shape{}, {0}));
      a = fg::assign_add(v, g.constant(1.f));
    }
    {
      const auto on = g.on_device("/job:worker/task:1");
      u = g.variable("u", fg::tensor<float>(fg::shape{}, {0}));
      b = fg::assign_add(u, a * 0.f + 1.f);
    }
    fg::session s{g, cluster.connect()};
    s.initialize();
    auto step = s.prepare(fg::feed(), fg::fetch(b));
    std::atomic<bool> ends{false};
    std::thread steps([&] {
      while (!ends) step();
    });
    for (int i = 0; i < 10; ++i) {
      const auto rest = s.pause();
      const float before = s.run(fg::fetch(v)).scalar();
      cluster.net.run_for(5ms);
      CHECK(s.run(fg::fetch(u)).scalar() == before);
      CHECK(s.run(fg::fetch(v)).scalar() == before);
    }
    ends = true;
    steps.join();
  }
}

TEST_CASE("master state: variables of two tasks that are assigned while the session rests change as one for its runs") {
  const tcp_pair cluster;
  fg::graph g;
  fg::variable<float> v, w;
  fg::out<float> difference;
  {
    const auto on = g.on_device("/job:worker/task:0");
    v = g.variable("v", fg::tensor<float>(fg::shape{}, {0}));
  }
  {
    const auto on = g.on_device("/job:worker/task:1");
    w = g.variable("w", fg::tensor<float>(fg::shape{}, {0}));
    difference = w - v;
  }
  fg::session s{g, cluster.connect()};
  s.initialize();
  std::atomic<bool> ends{false};
  std::atomic<int> steps{0}, mixed{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < 2; ++t)
    readers.emplace_back([&] {
      auto step = s.prepare(fg::feed(), fg::fetch(difference));
      for (; !ends; ++steps) mixed += step().scalar() != 0;
    });
  for (int i = 1; i <= 20; ++i) {
    for (const int before = steps; steps == before;) std::this_thread::yield();
    const auto rest = s.pause();
    s.assign({{v, static_cast<float>(i)}, {w, static_cast<float>(i)}});
  }
  ends = true;
  for (std::thread& t : readers) t.join();
  CHECK(mixed == 0);
  CHECK(s.run(fg::fetch(v)).scalar() == 20);
}

TEST_CASE("master state: a session that does not come to rest says so at the deadline, and goes on") {
  simulated_cluster cluster(2);
  fed_model m(true);
  fg::session s{m.g, cluster.connect()};
  s.run(m.produce);
  cluster.net.pause("a");
  const auto before = cluster.net.now();
  const auto rest = s.try_pause(fg::run_options::within(300ms));
  REQUIRE_FALSE(rest.has_value());
  CHECK(rest.error().code() == fg::error_code::deadline_exceeded);
  CHECK(cluster.net.now() - before < 1s);
  cluster.net.resume("a");
  s.run(m.produce);
  CHECK(s.run(fg::fetch(m.there)).scalar() == 10);
}

TEST_CASE("master state: a run that is held ends at its deadline, and goes on where it has none") {
  const tcp_pair cluster;
  fed_model m(true, 100);
  fg::session s{m.g, cluster.connect()};
  s.initialize();
  const auto late = [&] {
    const auto made = s.try_run(fg::fetch(m.train), {}, fg::run_options::within(300ms));
    return made ? fg::error() : made.error();
  };
  fg::error why;
  std::thread ends([&] { why = late(); });
  {
    const auto rest = s.pause();
    ends.join();
  }
  CHECK(why.code() == fg::error_code::deadline_exceeded);
  std::thread waits([&] { s.run(fg::fetch(m.train)); });
  for (int i = 0; i < 5; ++i) {
    const auto rest = s.pause();
    s.run(m.produce);  // the awaited element arrives while the run is held
  }
  waits.join();
  CHECK(s.run(fg::fetch(m.there)).scalar() == 17);
}

TEST_CASE("master state: a run rests where a value is asked for that is not made yet, and where one has come that was kept") {
  for (const std::uint64_t limit : {65536u, 8u, 0u}) {
    CAPTURE(limit);
    const tcp_pair cluster;
    fg::graph g;
    fg::out<float> made, read;
    fg::target put, let;
    {
      const auto on = g.on_device("/job:worker/task:0");
      fg::fifo_queue<float> q(g, {.capacity = 4});
      put = q.enqueue(g.constant(fg::tensor<float>({4}, {1, 1, 1, 1})));
      made = q.dequeue();
    }
    {
      const auto on = g.on_device("/job:worker/task:1");
      fg::fifo_queue<float> r(g, {.capacity = 4, .shared_name = "gate"});
      let = r.enqueue(g.constant(fg::tensor<float>({4}, {1, 1, 1, 1})));
      read = made + r.dequeue();
    }
    fg::session s{g, fg::tcp::connect(cluster.addresses[0], {.pushed_up_to = limit})};
    auto step = s.prepare(fg::feed(), fg::fetch(read));
    for (int i = 0; i < 3; ++i) {
      std::thread waits([&] { CHECK(step()[0] == 2.f); });
      for (const fg::target& next : {put, let}) {
        for (int k = 0; k < 3; ++k) CHECK(s.try_pause(fg::run_options::within(5s)).has_value());
        s.run(next);
      }
      waits.join();
    }
  }
}

TEST_CASE("master state: contents that a task refuses are an error, and no task has changed") {
  simulated_cluster cluster(2);
  fg::graph g;
  fg::target put[2];
  fg::out<float> take[2];
  for (int t = 0; t < 2; ++t) {
    const auto on = g.on_device(fg::message{"/job:worker/task:", t}.string());
    fg::fifo_queue<float> q(g, {.capacity = 4, .shapes = {{}}, .shared_name = t ? "second" : "first"});
    put[t] = q.enqueue(g.constant(1.f + static_cast<float>(t)));
    take[t] = q.dequeue();
  }
  fg::session s{g, cluster.connect()};
  for (const auto& p : put) s.run(p);
  const fg::saved_state good = s.save_state();
  REQUIRE(good.resources.size() == 2);
  fg::saved_state bad;
  for (fg::saved_resource r : good.resources) {
    if (r.name == "second") r.bytes = "no queue";
    bad.resources.push_back(r);
  }
  s.run(put[0]);
  const auto refused = s.try_load_state(bad);
  REQUIRE_FALSE(refused.has_value());
  CHECK(std::string_view(refused.error().what()).find("'second'") != std::string_view::npos);
  CHECK(std::string_view(refused.error().what()).find("/job:worker/task:1") != std::string_view::npos);
  // The first queue still has both of its elements.
  s.run(fg::fetch(take[0]));
  CHECK(s.try_run(fg::fetch(take[0]), {}, fg::run_options::within(1s)).has_value());

  fg::saved_state strange;
  strange.resources.push_back({"", "of nobody", "bytes"});
  const auto unknown = s.try_load_state(strange);
  REQUIRE_FALSE(unknown.has_value());
  CHECK(std::string_view(unknown.error().what()).find("'of nobody'") != std::string_view::npos);
}

TEST_CASE("master state: that of an isolated session is its own, and nothing of it stays") {
  simulated_cluster cluster(2);
  fed_model m(true);
  std::string state;
  {
    fg::session s{m.g, cluster.connect(0, {.isolated = true})};
    for (int i = 0; i < 3; ++i) s.run(m.produce);
    state = fg::to_bytes(s.save_state());
  }
  {
    fg::session s{m.g, cluster.connect(1, {.isolated = true})};
    s.load_state(fg::parse_saved_state(state).value());
    CHECK(s.run(fg::fetch(m.there)).scalar() == 15);
    fg::session other{m.g, cluster.connect()};
    CHECK(other.run(fg::fetch(m.there)).scalar() == 0);
  }
  cluster.net.run_for(1s);
  for (std::uint32_t t = 0; t < 2; ++t) CHECK(cluster[t].kept() == 0);
}
