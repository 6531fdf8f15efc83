// State of a session that is lost between two steps: the next run returns an error that names it, once, and no run continues with
// wrong numbers.

#include "../simulated_cluster.hpp"

#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/ops/random/random.hpp>

#include <distributed/state/held_state.hpp>

#include <functional>
#include <thread>

using namespace flowgraph_test;
using namespace std::chrono_literals;
namespace wire = fg::distributed;

namespace {

// Counts at task 1, draws at task 2, adds at task 3. Without tasks, the graph requires no device.
struct counting_and_drawing {
  fg::graph g;
  fg::variable<float> v;
  fg::out<float> x = g.placeholder<float>("x", {}), count, drawn, sum, restored;

  explicit counting_and_drawing(bool is_far = true) {
    const auto on = [&](std::uint32_t task) { return g.on_device(is_far ? on_worker(task) : std::string()); };
    g.set_seed(7);
    {
      const auto at = on(1);
      v = g.variable("v", fg::tensor<float>(fg::shape{}, {0}));
      count = fg::assign_add(v, g.constant(1.f));
      restored = fg::assign(v, x);
    }
    {
      const auto at = on(2);
      drawn = fg::random_uniform<float>(g, {1});
    }
    const auto at = on(3);
    sum = x + x;
  }
};

struct counted_step {
  float count = 0, drawn = 0;
  bool operator==(const counted_step&) const = default;
};

counted_step one_step(const counting_and_drawing& m, fg::session& s) {
  const auto [count, drawn] = s.run(fg::fetch(m.count, m.drawn));
  return {count.scalar(), drawn[0]};
}
fg::error failing_step(const counting_and_drawing& m, fg::session& s) {
  const auto made = s.try_run(fg::fetch(m.count, m.drawn));
  return made ? fg::error() : made.error();
}

std::vector<counted_step> undisturbed_steps(int steps) {
  const counting_and_drawing m(false);
  fg::session s{m.g};
  s.initialize();
  std::vector<counted_step> made;
  for (int i = 0; i < steps; ++i) made.push_back(one_step(m, s));
  return made;
}

bool tells(const fg::error& why, std::string_view text) {
  return std::string_view(why.what()).find(text) != std::string_view::npos;
}

void stop_for_a_while(simulated_cluster& cluster, const std::string& host) {
  cluster.net.pause(host);
  cluster.net.run_for(4s);
  cluster.net.resume(host);
  cluster.net.run_for(1s);
}
void start_again(simulated_cluster& cluster, std::uint32_t task) {
  cluster.kill(task);
  cluster.net.run_for(1s);
  cluster.restart(task);
  cluster.net.run_for(1s);
}

}  // namespace

TEST_CASE("lost state: whatever is lost between two steps is told once, by name, and a restored session goes on to the bit") {
  struct disturbance {
    const char* what;
    std::function<void(simulated_cluster&)> happens;
    const char* named;
  };
  const disturbance all[] = {
      {"the client stops", [](simulated_cluster& c) { stop_for_a_while(c, "client"); },
       "random numbers of 'random_uniform' at /job:worker/task:2"},
      {"the master stops", [](simulated_cluster& c) { stop_for_a_while(c, "a"); },
       "random numbers of 'random_uniform' at /job:worker/task:2"},
      {"a task stops", [](simulated_cluster& c) { stop_for_a_while(c, "c"); },
       "random numbers of 'random_uniform' at /job:worker/task:2"},
      {"the master is another process", [](simulated_cluster& c) { start_again(c, 0); }, "random numbers of 'random_uniform'"},
      {"the task with the numbers is another process", [](simulated_cluster& c) { start_again(c, 2); }, "/job:worker/task:2"},
      {"the task with the variable is another process", [](simulated_cluster& c) { start_again(c, 1); },
       "variable 'v' at /job:worker/task:1"},
      {"their links break", [](simulated_cluster& c) { c.net.break_links("a", "c"), c.net.run_for(1s); }, "/job:worker/task:2"},
      {"all are other processes",
       [](simulated_cluster& c) {
         for (std::uint32_t t = 0; t < 3; ++t) start_again(c, t);
       },
       "has lost state"},
  };
  const std::vector<counted_step> expected = undisturbed_steps(6);
  for (const disturbance& d : all) {
    CAPTURE(d.what);
    simulated_cluster cluster(4);
    const counting_and_drawing m;
    fg::session s{m.g, cluster.connect()};
    s.initialize();
    for (int i = 0; i < 3; ++i) CHECK(one_step(m, s) == expected[static_cast<std::size_t>(i)]);
    const fg::saved_state state = s.save_state();
    d.happens(cluster);
    const fg::error why = failing_step(m, s);
    CHECK(why.code() == fg::error_code::unavailable);
    CHECK_MESSAGE(tells(why, d.named), std::string(why.what()));
    // The losses of tasks that are other processes may be reported one after the other.
    int told = 0;
    while (!s.try_run(fg::fetch(m.restored), {{m.x, 3.f}}) || !s.try_load_state(state)) REQUIRE(++told < 3);
    CHECK(told <= (d.named == std::string("has lost state") ? 2 : 0));
    for (std::size_t i = 3; i < expected.size(); ++i) CHECK(one_step(m, s) == expected[i]);
  }
}

TEST_CASE("lost state: a session that held none at a task goes on without a word") {
  simulated_cluster cluster(4);
  const counting_and_drawing m;
  fg::session s{m.g, cluster.connect()};
  s.initialize();
  const auto both = [&] { return s.try_run(fg::fetch(m.count, m.sum), {{m.x, 2.f}}); };
  CHECK(both().has_value());
  start_again(cluster, 2);
  CHECK(both().has_value());
  start_again(cluster, 3);
  stop_for_a_while(cluster, "d");
  const auto made = both();
  REQUIRE(made.has_value());
  CHECK(std::get<0>(*made).scalar() == 3);
}

TEST_CASE("lost state: variables that are still there are no loss, whoever stops") {
  simulated_cluster cluster(4);
  const counting_and_drawing m;
  fg::session s{m.g, cluster.connect()};
  s.initialize();
  s.run(fg::fetch(m.count));
  for (const char* host : {"client", "a", "b"}) {
    CAPTURE(host);
    stop_for_a_while(cluster, host);
    CHECK(s.try_run(fg::fetch(m.count)).has_value());
  }
  CHECK(s.run(fg::fetch(m.v)).scalar() == 4);
}

TEST_CASE("lost state: each session that has used it is told, and one of another master too") {
  simulated_cluster cluster(4);
  const counting_and_drawing m;
  fg::session first{m.g, cluster.connect(0)}, second{m.g, cluster.connect(1)}, third{m.g, cluster.connect(3)};
  first.initialize();
  for (fg::session* s : {&first, &second}) s->run(fg::fetch(m.count));
  third.run(fg::fetch(m.sum), {{m.x, 1.f}});
  start_again(cluster, 1);
  for (fg::session* s : {&first, &second}) {
    const auto made = s->try_run(fg::fetch(m.count));
    REQUIRE_FALSE(made.has_value());
    CHECK(made.error().code() == fg::error_code::unavailable);
    CHECK_MESSAGE(tells(made.error(), "variable 'v' at /job:worker/task:1"), std::string(made.error().what()));
    CHECK(s->try_run(fg::fetch(m.restored), {{m.x, 5.f}}).has_value());
  }
  CHECK(third.run(fg::fetch(m.count)).scalar() == 6);
}

TEST_CASE("lost state: a run that goes on elsewhere ends with the loss, and so does one that began before it was told") {
  for (const bool is_between : {true, false}) {
    CAPTURE(is_between);
    simulated_cluster cluster(4, 1, cluster_ops(), {}, {.patience = 20h});  // a waiting thread makes the simulated time pass
    counting_and_drawing m;
    const auto on = m.g.on_device(on_worker(3));
    fg::fifo_queue<float> q(m.g, {.capacity = 4});
    const auto taken = q.dequeue();
    const auto put = q.enqueue(m.g.constant(5.f));
    fg::session s{m.g, cluster.connect()};
    s.initialize();
    CHECK(one_step(m, s).count == 1);
    const std::vector<fg::any_out> feeds{m.x}, fetches{m.sum};
    auto begun = s.try_begin_partial(feeds, fetches).value();
    fg::error waited;
    const std::size_t kept = cluster[3].kept();
    std::thread other([&] {
      const auto made = s.try_run(fg::fetch(taken));
      if (!made) waited = made.error();
    });
    while (cluster[3].kept() < kept + 2) cluster.net.run_for(10ms);  // only the part and the run
    // Without the other thread, the next step would report the loss of the numbers.
    if (is_between) start_again(cluster, 2);
    else cluster.kill(1);
    const fg::error why = is_between ? fg::error() : failing_step(m, s);
    other.join();
    CHECK(waited.code() == fg::error_code::unavailable);
    CHECK_MESSAGE(tells(waited, is_between ? "has lost state" : "/job:worker/task:1"), std::string(waited.what()));
    if (is_between) CHECK_FALSE(failing_step(m, s));
    else CHECK(why.code() == fg::error_code::unavailable);
    const std::vector<fg::fed> fed{{m.x, 1.f}};
    CHECK(begun.try_continue(fed, fetches).error().code() == fg::error_code::unavailable);
    s.run(put);
    CHECK(s.run(fg::fetch(taken)).scalar() == 5);  // the ended run takes no element
    if (is_between) continue;
    cluster.restart(1);
    CHECK(s.run(fg::fetch(m.restored), {{m.x, 4.f}}).scalar() == 4);  // already reported
  }
}

TEST_CASE("lost state: state that was lost is not saved, and what was loaded is state too") {
  simulated_cluster cluster(4);
  const counting_and_drawing m;
  fg::session s{m.g, cluster.connect()};
  s.initialize();
  for (int i = 0; i < 3; ++i) one_step(m, s);
  const fg::saved_state state = s.save_state();
  stop_for_a_while(cluster, "client");
  auto saved = s.try_save_state();
  REQUIRE_FALSE(saved.has_value());
  CHECK(saved.error().code() == fg::error_code::unavailable);
  CHECK_MESSAGE(tells(saved.error(), "random numbers of"), std::string(saved.error().what()));
  s.load_state(state);
  start_again(cluster, 2);
  saved = s.try_save_state();
  REQUIRE_FALSE(saved.has_value());
  CHECK(saved.error().code() == fg::error_code::unavailable);
  s.load_state(state);
  CHECK(one_step(m, s) == undisturbed_steps(4).back());
}

TEST_CASE("lost state: that of an isolated session ends with its connection") {
  simulated_cluster cluster(4);
  const counting_and_drawing m;
  fg::session s{m.g, cluster.connect(0, {.isolated = true})};
  s.initialize();
  s.run(fg::fetch(m.count));
  cluster.net.break_links("a", "b");
  cluster.net.run_for(1s);
  const auto made = s.try_run(fg::fetch(m.count));
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().code() == fg::error_code::unavailable);
  CHECK_MESSAGE(tells(made.error(), "variable 'v' at /job:worker/task:1"), std::string(made.error().what()));
  s.initialize();
  CHECK(s.run(fg::fetch(m.count)).scalar() == 1);
}

TEST_CASE("lost state: a prepared step tells the loss, and a run that another one has told is refused as long as it is older") {
  simulated_cluster cluster(4);
  const counting_and_drawing m;
  fg::session s{m.g, cluster.connect()};
  s.initialize();
  auto prepared = s.prepare(fg::feed(), fg::fetch(m.count, m.drawn));
  CHECK(std::get<0>(prepared()).scalar() == 1);
  const std::vector<fg::any_out> feeds{m.x}, fetches{m.sum};
  stop_for_a_while(cluster, "client");
  // It begins with the next connection, before a run has reported the loss.
  auto older = s.try_begin_partial(feeds, fetches).value();
  const auto made = prepared.try_run({});
  REQUIRE_FALSE(made.has_value());
  CHECK_MESSAGE(tells(made.error(), "has lost state"), std::string(made.error().what()));
  CHECK(prepared.try_run({}).has_value());
  const std::vector<fg::fed> fed{{m.x, 1.f}};
  const auto late = older.try_continue(fed, fetches);
  REQUIRE_FALSE(late.has_value());
  CHECK_MESSAGE(tells(late.error(), "has lost state"), std::string(late.error().what()));
}

TEST_CASE("lost state: peers may be silent for as long as their options say") {
  const fg::task_options patient{.silence = 20s};
  simulated_cluster cluster(4, 1, cluster_ops(), patient);
  const counting_and_drawing m;
  fg::session s{m.g, cluster.connect(0, {.silence = 20s})};
  s.initialize();
  const std::vector<counted_step> expected = undisturbed_steps(5);
  CHECK(one_step(m, s) == expected[0]);
  std::size_t next = 1;
  for (const char* host : {"client", "a", "c"}) {
    CAPTURE(host);
    cluster.net.pause(host);
    cluster.net.run_for(15s);
    cluster.net.resume(host);
    cluster.net.run_for(1s);
    CHECK(one_step(m, s) == expected[next++]);
  }
  cluster.net.pause("c");
  const auto before = cluster.net.now();
  CHECK(failing_step(m, s).code() == fg::error_code::unavailable);
  CHECK(cluster.net.now() - before > 19s);
}

TEST_CASE("lost state: a silence that is shorter than signs of life are apart is refused") {
  simulated_cluster cluster(1);
  fg::graph g;
  fg::session s{g, cluster.connect(0, {.silence = 500ms})};
  const auto made = s.try_run(fg::fetch(g.constant(1.f)));
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().message() == "connect_options::silence is 500 ms, expected 2000 ms at least");
  const auto task =
      fg::task::make(cluster.net.host("b"), fg::cluster{{"worker", {"b:1"}}}, "worker", 0, cluster_ops(), {.silence = 1s});
  REQUIRE_FALSE(task.has_value());
  CHECK(task.error().message() == "task_options::silence is 1000 ms, expected 2000 ms at least");
}

TEST_CASE("lost state: a shared variable of another shape is an error that names both") {
  simulated_cluster cluster(2);
  fg::graph g, h;
  fg::variable<float> v, w;
  {
    const auto on = g.on_device(on_worker(1));
    v = g.variable("v", fg::tensor<float>({2}, {1, 2}));
  }
  {
    const auto on = h.on_device(on_worker(1));
    w = h.variable("v", fg::tensor<float>({3}, {1, 2, 3}));
  }
  fg::session first{g, cluster.connect()}, second{h, cluster.connect()};
  first.initialize();
  for (const auto& made : {second.try_run(fg::fetch(w)), second.try_run(fg::fetch(w + w))}) {
    REQUIRE_FALSE(made.has_value());
    CHECK(made.error().code() == fg::error_code::invalid_argument);
    CHECK_MESSAGE(tells(made.error(), "variable 'v' exists with shape [2], expected [3]"), std::string(made.error().what()));
    CHECK(tells(made.error(), "/job:worker/task:1"));
  }
  CHECK_FALSE(second.try_initialize());
  CHECK(first.run(fg::fetch(v))[1] == 2);
}

TEST_CASE("lost state: the list of a client survives its way, forgets what was told, and belongs to the last connection") {
  wire::held_states all;
  wire::held_state& there = all["/job:worker/task:1"];
  there.incarnation = 3;
  for (const char* name : {"variable 'a'", "variable 'b'", "variable 'c'", "variable 'd'"}) there.shared.known.insert(name);
  there.is_at_master = true;
  all["/job:worker/task:2"].own.known.insert("random numbers of 'r'");
  fg::recycled_text text;
  wire::byte_writer to(text);
  wire::write_held(to, all);
  wire::byte_reader from(text);
  wire::held_states read = wire::read_held(from);
  REQUIRE(from.is_done());
  CHECK(read.at("/job:worker/task:1").incarnation == 3);
  for (std::size_t less = 1; less < text.size(); ++less) {
    wire::byte_reader cut(std::string_view(text).substr(0, text.size() - less));
    wire::read_held(cut);
    CHECK_FALSE(cut.is_done());
  }
  read["/job:worker/task:1"].of_shared = wire::held_state::fate::lost;
  const fg::error cause(fg::error_code::unavailable, "the cause");
  CHECK(wire::lost_state(read, cause).message() ==
        "the session has lost state: variable 'a', variable 'b', variable 'c' and others at /job:worker/task:1");

  wire::known_state known;
  known.hear(2, all);
  CHECK(known.lose(1, cause).message() == "the cause");  // a run over the previous connection has ended late
  CHECK(known.losses() == 0);
  CHECK(known.lose(2, cause).message() == "the session has lost state: random numbers of 'r' at /job:worker/task:2");
  CHECK(known.losses() == 1);
  CHECK(known.lose(2, cause).message() == "the cause");
  CHECK(known.losses() == 1);
  known.hear(2, {{"/job:worker/task:2", all.at("/job:worker/task:2")}});
  known.hear(3, {{"/job:worker/task:3", all.at("/job:worker/task:2")}});
  CHECK(known.lose(3, cause).message() == "the session has lost state: random numbers of 'r' at /job:worker/task:3");
  known.tell(3, cause);
  known.tell(2, cause);
  CHECK(known.losses() == 3);
}
