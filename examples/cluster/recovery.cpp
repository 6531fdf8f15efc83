// A training that goes on by itself when a task is lost: it waits until the task is there again, goes back to the last checkpoint, and ends
// with the weights of a training without losses, to the bit.
//
//     steps 0 … 50 ──> task 1 is killed ──> wait ──> restore step 40 ──> steps 40 … 100

#include "own_processes.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/random/dropout.hpp>
#include <flowgraph/train/recovery_hook.hpp>

#include <csignal>
#include <filesystem>

namespace fg = flowgraph;

struct model {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any, 2}), loss;
  fg::variable<float> w;
  fg::target train;

  explicit model(bool on_tasks) {
    g.set_seed(1);
    auto sum = fg::matmul(x, g.constant(fg::tensor<float>({2, 1}, {1, 1})));
    const auto on = g.on_device(on_tasks ? "/job:worker/task:1" : "");
    w = g.variable("w", fg::glorot_uniform<float>({2, 1}));
    loss = fg::mean(fg::square(fg::matmul(fg::dropout(x, 0.1f), w) - sum));
    train = fg::adam{.rate = 0.05f}.minimize(loss);
  }
};

// The batch depends on the step alone: after going back it is the same again.
fg::tensor<float> batch_of(std::int64_t step) {
  fg::tensor<float> made({8, 2});
  for (std::size_t i = 0; i < 16; ++i)
    made.writable()[i] = static_cast<float>((step * 31 + static_cast<std::int64_t>(i) * 17) % 19) / 19;
  return made;
}

// The weights after 100 steps; `lose` is called before each.
fg::tensor<float> train(model& m, fg::session s, const std::string& folder, const std::function<void(std::int64_t)>& lose) {
  fg::checkpoint_hook checkpoints(m.g, {.directory = folder, .every_steps = 20});
  fg::recovery_hook recovery(checkpoints, {.on_recovery = fg::print_recovery});
  s.initialize();
  auto step = s.prepare(fg::feed(m.x), fg::fetch(m.loss), m.train);
  fg::training_loop loop(s, {.steps = 100});
  loop.add(checkpoints).add(recovery);
  loop.run([&](const fg::training_progress& now) {
    lose(now.step);
    return step.try_run({}, batch_of(now.step));
  });
  return s.run(fg::fetch(m.w));
}

int main() {
  int told[2];
  if (pipe(told) != 0) return 1;
  // Task 1 has a second life, as systemd and Kubernetes give it: its process waits for the end of the first one.
  const own_processes tasks({{"worker", 2}}, [&](const own_processes::own_task& t) {
    if (const pid_t first = t.index == 1 ? fork() : 0; first != 0) {
      (void)!write(told[1], &first, sizeof first);
      waitpid(first, nullptr, 0);
    }
    own_processes::standard_task(t);
  });
  pid_t victim = 0;
  if (read(told[0], &victim, sizeof victim) != sizeof victim) return 1;

  const auto folder = std::filesystem::temp_directory_path() / ("example_recovery_" + std::to_string(getpid()));
  model far(true), near(false);
  const auto lose = [&](std::int64_t step) { step == 50 && victim ? kill(std::exchange(victim, 0), SIGKILL) : 0; };
  const auto found = train(far, fg::session{far.g, fg::tcp::connect(tasks.address("worker", 0))}, folder / "far", lose);
  const auto expected = train(near, fg::session{near.g}, folder / "near", [](std::int64_t) {});
  std::filesystem::remove_all(folder);
  std::printf("w: %.4f %.4f\n", static_cast<double>(found[0]), static_cast<double>(found[1]));
  return victim == 0 && found[0] == expected[0] && found[1] == expected[1] ? 0 : 1;
}
