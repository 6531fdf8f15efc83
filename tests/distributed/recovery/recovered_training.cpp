// Trainings that recover from their checkpoints when tasks are killed: on a simulated network, and as processes.

#include <flowgraph/train/recovery_hook.hpp>

#include "../../formats/folder.hpp"
#include "../../harness/free_addresses.hpp"
#include "../simulated_cluster.hpp"
#include "../task_process.hpp"

#include <flowgraph/distributed/tcp.hpp>
#include <flowgraph/ops/data_flow/fifo_queue.hpp>

#include <random>
#include <set>
#include <thread>

using namespace flowgraph_test;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t recovered_steps = 20, saved_every = 4;

// The first task draws noise, the second holds the weights, and the third a queue with a value that is put back: each task has
// variables, random numbers or a queue. Without tasks, the graph requires no device.
struct scattered_training {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {4}), loss;
  fg::variable<float> w;
  fg::target train, fill;

  explicit scattered_training(bool is_far) {
    g.set_seed(3);
    const auto on = [&](std::uint32_t t) { return g.on_device(is_far ? on_worker(t) : ""); };
    fg::out<float> noise, carried;
    {
      const auto first = on(0);
      noise = fg::random_uniform<float>(g, {4});
    }
    fg::target put;
    {
      const auto third = on(2);
      fg::fifo_queue<float> round(g, {.capacity = 4});
      carried = round.dequeue();
      put = round.enqueue(carried + x * 0.5f);
      fill = round.enqueue(g.constant(fg::tensor<float>({4}, {1, 2, 3, 4})));
    }
    const auto second = on(1);
    w = g.variable("w", fg::tensor<float>({4}, {0, 0, 0, 0}));
    const auto change = (w - carried * noise - x) * 0.125f;
    loss = fg::mean(fg::square(change));
    const auto updated = fg::assign_sub(w, change);
    train = fg::group(put, fg::target(updated));
  }
  static fg::tensor<float> sample(std::int64_t step) {
    const auto i = static_cast<float>(step % 13);
    return fg::tensor<float>({4}, {i, 1 - i, i / 3, 2});
  }
};

struct recovered_outcome {
  std::vector<float> w;
  std::int64_t recoveries = 0;
  fg::error why;
};

// Trains at this target. Calls `between` before each attempt of a step, and `lost` after each loss.
template <class Between, class Lost>
recovered_outcome train_on(const fg::session_target& where, bool is_far, const std::string& folder, Between between, Lost lost) {
  scattered_training t(is_far);
  fg::checkpoint_hook checkpoints(t.g, {.directory = folder, .every_steps = saved_every});
  fg::recovery_hook recovery(
      checkpoints,
      {.patience = 2min, .first_wait = 1ms, .longest_wait = 100ms, .on_recovery = [&](const fg::training_recovery& r) {
         if (!r.is_back) lost(r);
       }});
  fg::session s{t.g, {.target = where}};
  s.initialize();
  s.run(t.fill);
  auto step = s.prepare(fg::feed(t.x), fg::fetch(t.loss), t.train);
  fg::training_loop loop(s, {.steps = recovered_steps});
  loop.add(checkpoints).add(recovery);
  const auto end = loop.try_run([&](const fg::training_progress& now) {
    between(now.step);
    return step.try_run({}, scattered_training::sample(now.step));
  });
  recovered_outcome made;
  made.recoveries = recovery.recoveries();
  if (!end) return made.why = end.error(), made;
  const auto w = s.run(fg::fetch(t.w));
  made.w.assign(w.begin(), w.end());
  return made;
}

std::vector<float> weights_of_one_process() {
  const test_folder folder;
  const auto nothing = [](const auto&) {};
  return train_on({}, false, folder.path(), nothing, nothing).w;
}

}  // namespace

TEST_CASE("recovered training: whichever task is killed at whichever step, the weights are those of one process") {
  const auto expected = weights_of_one_process();
  for (std::uint32_t victim = 0; victim < 3; ++victim)
    for (const std::int64_t when : {0, 3, 4, 13, 19}) {
      CAPTURE(victim);
      CAPTURE(when);
      const test_folder folder;
      simulated_cluster cluster(3);
      bool is_killed = false, is_restarted = false;
      const auto made = train_on(
          cluster.connect(), true, folder.path(),
          [&](std::int64_t step) {
            if (step == when && !std::exchange(is_killed, true)) cluster.kill(victim);
          },
          [&](const fg::training_recovery& r) {
            CHECK(r.why.code() == fg::error_code::unavailable);
            if (std::exchange(is_restarted, true)) return;
            CHECK(r.lost_step == when);
            cluster.restart(victim);
          });
      CHECK_MESSAGE(!made.why, std::string(made.why.what()));
      CHECK(made.recoveries >= 1);
      CHECK(made.recoveries <= 2);  // the loss may be reported a second time
      CHECK(made.w == expected);
    }
}

TEST_CASE("recovered training: a task" * doctest::skip()) {
  const auto here = started_task(cluster_ops());
  while (here && own_process::is_asked()) own_process::answer({0});
}

TEST_CASE("recovered training: all tasks are killed at once, and come back one after another") {
  const test_folder folder;
  const auto addresses = free_addresses(3);
  std::vector<own_process> tasks;
  const auto start = [&](std::size_t t) { return start_task("recovered training: a task", t, addresses); };
  for (std::size_t t = 0; t < 3; ++t) tasks.push_back(start(t));
  bool are_killed = false;
  std::jthread starter;
  const auto made = train_on(
      fg::tcp::connect(addresses[0]), true, folder.path(),
      [&](std::int64_t step) {
        if (step != 10 || std::exchange(are_killed, true)) return;
        for (own_process& t : tasks) t.kill();
        starter = std::jthread([&] {
          for (const std::size_t t : {1u, 0u, 2u}) {
            std::this_thread::sleep_for(200ms);
            tasks[t] = start(t);
          }
        });
      },
      [&](const fg::training_recovery& r) { CHECK(r.why.code() == fg::error_code::unavailable); });
  if (starter.joinable()) starter.join();
  CHECK_MESSAGE(!made.why, std::string(made.why.what()));
  CHECK(made.recoveries >= 1);
  CHECK(made.w == weights_of_one_process());
}

TEST_CASE("recovered training: processes that are killed at any moment and started again") {
  const auto expected = weights_of_one_process();
  const test_folder folder;
  const auto addresses = free_addresses(3);
  std::vector<own_process> tasks;
  const auto start = [&](std::size_t t) { return start_task("recovered training: a task", t, addresses); };
  for (std::size_t t = 0; t < 3; ++t) tasks.push_back(start(t));
  std::mt19937 random(11);
  std::jthread killer;
  std::set<std::int64_t> killed_at;
  std::size_t victim = 0;
  const auto made = train_on(
      fg::tcp::connect(addresses[0]), true, folder.path(),
      [&](std::int64_t step) {
        // The last step includes the last kill: a read after the training has no recovery.
        if (step == recovered_steps - 1 && killer.joinable()) killer.join();
        if (step % 5 != 2 || !killed_at.insert(step).second) return;
        if (killer.joinable()) killer.join();
        if (tasks[victim].id() == 0) return;  // its loss was not found yet
        victim = killed_at.size() % 3;
        const auto pause = std::chrono::microseconds(random() % 3000);
        killer = std::jthread([&, pause] {
          std::this_thread::sleep_for(pause);
          tasks[victim].kill();
        });
        // Steps continue until the loss is found: the next kill waits for it.
        if (pause < 1500us) killer.join();
      },
      [&](const fg::training_recovery&) {
        if (killer.joinable()) killer.join();
        if (tasks[victim].id() == 0) tasks[victim] = start(victim);
      });
  if (killer.joinable()) killer.join();
  CHECK_MESSAGE(!made.why, std::string(made.why.what()));
  CHECK(made.recoveries >= 2);
  CHECK(made.w == expected);
}
