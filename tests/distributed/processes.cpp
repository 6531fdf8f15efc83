// A training of four processes over TCP. One of them is killed or stopped at a random moment. FLOWGRAPH_TEST_KILLS: the number of
// times.

#include <flowgraph/distributed/tcp.hpp>

#include "../harness/free_addresses.hpp"
#include "task_process.hpp"
#include "simulated_cluster.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

using namespace flowgraph_test;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

namespace {

int kills() {
  const char* const said = std::getenv("FLOWGRAPH_TEST_KILLS");
  return said ? std::atoi(said) : 5;
}

class processes_cluster {
public:
  processes_cluster() {
    for (std::uint32_t i = 0; i < 3; ++i) tasks.push_back(start(i));
  }
  const std::string& address(std::uint32_t task) const { return addresses_[task]; }
  void restart(std::uint32_t task) { tasks[task] = start(task); }

  std::vector<own_process> tasks;

private:
  own_process start(std::uint32_t task) const { return start_task("processes: a task", task, addresses_); }
  std::vector<std::string> addresses_ = free_addresses(3);
};

struct task_counts {
  std::uint64_t sessions, kept;
};
task_counts counts(const own_process& task) {
  std::uint64_t made[2];
  task.ask(made);
  return {made[0], made[1]};
}
// Repeats the question for some seconds: more than the guaranteed three seconds, for a busy machine.
template <class F> bool comes_true(F&& is_so) {
  for (const auto end = steady::now() + 10s; !is_so(); std::this_thread::sleep_for(20ms))
    if (steady::now() > end) return false;
  return true;
}

// Descends towards the fed value: the weights are at task 1, and gradients are computed at task 2. The client has the checkpoint.
struct small_training {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {4}), saved = g.placeholder<float>("saved", {4});
  fg::variable<float> w;
  fg::out<float> updated, restored;

  small_training() {
    {
      const auto on = g.on_device("/job:worker/task:1");
      w = g.variable("w", fg::tensor<float>({4}, {0, 0, 0, 0}));
      restored = fg::assign(w, saved);
    }
    fg::out<float> gradient;
    {
      const auto on = g.on_device("/job:worker/task:2");
      gradient = (w - x) * 0.125f;
    }
    const auto on = g.on_device("/job:worker/task:1");
    updated = fg::assign_sub(w, gradient);
  }
  static fg::tensor<float> sample(int step) {
    const float i = static_cast<float>(step % 13);
    return fg::tensor<float>({4}, {i, 1 - i, i / 3, 2});
  }
};

struct trainer {
  explicit trainer(const std::string& master) : s(t.g, fg::tcp::connect(master)) {}
  bool restore() { return s.try_run(fg::fetch(t.restored), {{t.saved, checkpoint}}).has_value(); }
  fg::error step() {
    auto made = s.try_run(fg::fetch(t.updated), {{t.x, small_training::sample(done)}});
    if (!made) return made.error();
    last = *std::move(made);
    if (++done % 10 == 0) {
      checkpoint = last;
      saved_at = done;
    }
    return {};
  }
  // Continues from the last checkpoint: all tasks go back, including those that have survived.
  bool go_back() {
    done = saved_at;
    return comes_true([&] { return restore(); });
  }
  // The loss of an idle link may be reported late, and may fail a step that would otherwise succeed: the training then goes back
  // again.
  bool train(int steps) {
    int failures = 0;
    for (const int end = done + steps; done < end;) {
      if (!step()) continue;
      std::this_thread::sleep_for(100ms);
      if (++failures > 5 || !go_back()) return false;
    }
    return true;
  }

  small_training t;
  fg::session s;
  fg::tensor<float> checkpoint = fg::tensor<float>({4}, {0, 0, 0, 0}), last = checkpoint;
  int done = 0, saved_at = 0;
};

std::vector<float> undisturbed(int steps) {
  std::vector<float> w(4, 0.f);
  for (int i = 0; i < steps; ++i)
    for (std::size_t k = 0; k < 4; ++k) w[k] -= (w[k] - small_training::sample(i)[k]) * 0.125f;
  return w;
}
bool equal(const fg::tensor<float>& a, const std::vector<float>& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

}  // namespace

TEST_CASE("processes: a task" * doctest::skip()) {
  const auto here = started_task(cluster_ops());
  while (here && own_process::is_asked()) own_process::answer({here->task().sessions(), here->task().kept()});
}

TEST_CASE("processes: a client" * doctest::skip()) {
  const char* const master = std::getenv("FLOWGRAPH_TEST_MASTER");
  if (!master) return;
  trainer t(master);
  if (!t.restore()) return;
  own_process::say_ready();
  while (!t.step()) {}
}

TEST_CASE(
    "processes: a task that is killed is an error that names it, and the training ends with the weights of an undisturbed one") {
  processes_cluster cluster;
  trainer t(cluster.address(0));
  REQUIRE(t.restore());
  std::mt19937 random(5);
  for (int kill = 0; kill < kills(); ++kill) {
    REQUIRE(t.train(3));
    CHECK(equal(t.last, undisturbed(t.done)));
    const auto before = counts(cluster.tasks[1]).kept;
    const auto drawn = static_cast<std::uint32_t>(random() % 3), victim = kill < 3 ? static_cast<std::uint32_t>(kill) : drawn;
    CAPTURE(victim);
    const auto pause = std::chrono::microseconds(random() % 20000);
    steady::time_point killed_at;
    std::atomic<bool> is_killed{false};
    std::thread killer([&] {
      std::this_thread::sleep_for(pause);
      killed_at = steady::now();
      is_killed = true;
      cluster.tasks[victim].signal(SIGKILL);
    });
    fg::error why;
    while (!(why = t.step()) || !is_killed)
      if (why) t.go_back();
    const auto failed_at = steady::now();
    killer.join();
    CHECK(failed_at - killed_at < 3s);
    CHECK(why.code() == fg::error_code::unavailable);
    const std::string_view text = why.what();
    const std::string name = fg::message{"/job:worker/task:", victim};
    CHECK_MESSAGE((text.find(name) != text.npos || (victim == 0 && text.find(cluster.address(0)) != text.npos)), text);
    // The other tasks keep only the parts of the session, as between two steps; nothing if its master is lost.
    for (std::uint32_t i = 0; i < 3; ++i)
      if (i != victim) CHECK(comes_true([&] { return counts(cluster.tasks[i]).kept <= (victim == 0 ? 0 : before); }));
    cluster.restart(victim);
    REQUIRE(t.go_back());
  }
  REQUIRE(t.train(30));
  CHECK(equal(t.last, undisturbed(t.done)));
}

TEST_CASE("processes: a client that is killed leaves nothing at any task") {
  processes_cluster cluster;
  std::mt19937 random(7);
  for (int kill = 0; kill < kills(); ++kill) {
    own_process client("processes: a client", "FLOWGRAPH_TEST_MASTER=" + cluster.address(0));
    CHECK(counts(cluster.tasks[0]).sessions == 1);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
    client.kill();
    for (const own_process& task : cluster.tasks)
      CHECK(comes_true([&] {
        const task_counts now = counts(task);
        return now.sessions == 0 && now.kept == 0;
      }));
  }
}

TEST_CASE("processes: a task that stops for some seconds, or for ten, is an error too, and goes on after") {
  processes_cluster cluster;
  trainer t(cluster.address(0));
  REQUIRE(t.restore());
  REQUIRE(t.train(15));
  const auto stopped_at = steady::now();
  cluster.tasks[2].stop();
  fg::error why;
  while (!(why = t.step())) {}
  CHECK(steady::now() - stopped_at < 6s);  // 3 s, and additional time for a busy machine
  CHECK(std::string_view(why.what()).find("/job:worker/task:2") != std::string_view::npos);
  if (kills() > 5) std::this_thread::sleep_until(stopped_at + 10s);
  cluster.tasks[2].go_on();
  REQUIRE(t.go_back());
  REQUIRE(t.train(45));
  CHECK(equal(t.last, undisturbed(t.done)));
}

TEST_CASE("processes: a task that was stopped during a step, and wakes when that is given up, has written nothing of it") {
  processes_cluster cluster;
  trainer t(cluster.address(0));
  REQUIRE(t.restore());
  REQUIRE(t.train(12));
  const auto expected = undisturbed(t.done);
  cluster.tasks[1].stop();
  // The request is then complete in the sockets of the task.
  CHECK_FALSE(t.s.try_run(fg::fetch(t.t.restored), {{t.t.saved, fg::tensor<float>({4}, {9, 9, 9, 9})}}));
  cluster.tasks[1].go_on();
  fg::tensor<float> now;
  CHECK(comes_true([&] {
    auto made = t.s.try_run(fg::fetch(t.t.w));
    if (made) now = *std::move(made);
    return made.has_value();
  }));
  CHECK(equal(now, expected));
  std::this_thread::sleep_for(500ms);
  CHECK(equal(t.s.run(fg::fetch(t.t.w)), expected));
}
