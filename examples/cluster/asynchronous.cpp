// Data parallel, asynchronous: each client trains by a worker of its own, as fast as that is, on the variables at a task that all share.
// Nobody waits for the others: gradients may be of weights that another has changed meanwhile.
//
//     client 0 ──> worker 0:  batch ──> gradients ──┐
//     client 1 ──> worker 1:  batch ──> gradients ──┼──> ps 0:  w -= ...
//     client 2 ──> worker 2:  batch ──> gradients ──┘           (found by its name, by all sessions)

#include "own_processes.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/train/coordinator.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>

namespace fg = flowgraph;

// The same model for everybody; its gradients are made at that worker.
struct model {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any, 3}), y = g.placeholder<float>("y", {fg::any, 1});
  fg::variable<float> w;
  fg::variable<std::int64_t> steps;
  fg::out<float> loss;
  fg::target train;

  explicit model(int worker) {
    const auto held = [&] { return g.on_device("/job:ps/task:0"); };
    const auto on_worker = g.on_device("/job:worker/task:" + std::to_string(worker));
    {
      const auto on = held();
      w = g.variable("w", fg::zeros<float>({3, 1}));
      steps = g.variable("steps", fg::tensor<std::int64_t>(0));
    }
    loss = fg::mean(fg::square(fg::matmul(x, w) - y));
    const fg::sgd method{.rate = 0.05f};
    const auto gradients = method.gradients(loss);
    const auto on = held();
    train = fg::group(method.apply(gradients), fg::assign_add(steps, g.constant<std::int64_t>(1)));
  }
};

int main() {
  constexpr int replicas = 3, steps_each = 200;
  own_processes tasks({{"ps", 1}, {"worker", replicas}});
  model chief(0);
  fg::session s{chief.g, fg::tcp::connect(tasks.address("worker", 0))};
  s.initialize();  // once: who comes later finds the variables as they are

  fg::coordinator clients;
  for (int i = 0; i < replicas; ++i)
    clients.start("client " + std::to_string(i), [&, i](std::stop_token stop) {
      model mine(i);
      fg::session t{mine.g, fg::tcp::connect(tasks.address("worker", static_cast<std::uint32_t>(i)))};
      std::mt19937 random(static_cast<unsigned>(i));  // samples of its own
      fg::tensor<float> points({16, 3}), values({16, 1});
      for (int step = 0; step < steps_each && !stop.stop_requested(); ++step) {
        for (std::size_t row = 0; row < 16; ++row) {
          float* const p = &points.writable()[3 * row];
          for (int k = 0; k < 3; ++k) p[k] = static_cast<float>(random() % 2001) / 1000 - 1;
          values.writable()[row] = p[0] - 2 * p[1] + 3 * p[2];
        }
        t.run(mine.train, {{mine.x, points}, {mine.y, values}});
      }
    });
  clients.join();

  auto [w, count] = s.run(fg::fetch(chief.w, chief.steps));
  std::printf("%d steps of %d clients: w %.3f %.3f %.3f\n", static_cast<int>(count.scalar()), replicas, w[0], w[1], w[2]);
  const bool is_right = std::abs(w[0] - 1) < 0.05f && std::abs(w[1] + 2) < 0.05f && std::abs(w[2] - 3) < 0.05f;
  return is_right && count.scalar() <= replicas * steps_each ? 0 : 1;
}
