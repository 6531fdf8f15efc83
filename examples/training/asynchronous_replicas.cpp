// Asynchronous replicas: each client thread takes steps of its own on the same variables, and waits for nobody. Gradients may be of weights
// that another has changed meanwhile: which bits come out depends on the threads; that it learns does not.
//
//     client 0:  batch ──> gradients ──> w -= ...      batch ──> gradients ──> w -= ...
//     client 1:      batch ──> gradients ──> w -= ...      batch ──> ...

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/train/coordinator.hpp>
#include <flowgraph/train/training_loop.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 3}), y = g.placeholder<float>("y", {fg::any, 1});
  auto w = g.variable("w", fg::zeros<float>({3, 1}));
  auto steps = g.variable("steps", fg::tensor<std::int64_t>(0));
  auto loss = fg::mean(fg::square(fg::matmul(x, w) - y));
  auto train = fg::group(fg::sgd{.rate = 0.05f}.minimize(loss), fg::assign_add(steps, g.constant<std::int64_t>(1)));

  fg::session s{g};
  s.initialize();
  constexpr int replicas = 3, steps_each = 300;
  std::array<float, replicas> losses{};
  fg::coordinator clients;
  for (int i = 0; i < replicas; ++i)
    clients.start("replica " + std::to_string(i), [&, i](std::stop_token stop) {
      std::mt19937 random(static_cast<unsigned>(i));  // samples of its own
      fg::tensor<float> points({16, 3}), values({16, 1});
      auto step = s.prepare(fg::feed(x, y), fg::fetch(loss), train);  // a step belongs to one thread
      fg::training_loop loop(s, {.steps = steps_each, .stop = stop});
      loop.run([&] {
        for (std::size_t row = 0; row < 16; ++row) {
          float* const p = &points.writable()[3 * row];
          for (int k = 0; k < 3; ++k) p[k] = static_cast<float>(random() % 2001) / 1000 - 1;
          values.writable()[row] = p[0] - 2 * p[1] + 3 * p[2];
        }
        return step(points, values).scalar();
      });
      losses[static_cast<std::size_t>(i)] = loop.progress().loss;
    });
  clients.join();

  auto [learnt, count] = s.run(fg::fetch(w, steps));
  std::printf("%d steps of %d replicas: w %.3f %.3f %.3f\n", static_cast<int>(count.scalar()), replicas, learnt[0], learnt[1],
              learnt[2]);
  const bool is_right = std::abs(learnt[0] - 1) < 0.05f && std::abs(learnt[1] + 2) < 0.05f && std::abs(learnt[2] - 3) < 0.05f;
  return is_right && losses[0] < 0.01f ? 0 : 1;
}
