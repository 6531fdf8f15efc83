// A queue on a machine of its own: some clients make examples, each by the worker that has them, another one trains. Who is too fast waits,
// and holds no thread of any task meanwhile.
//
//     client 0 ──> worker 0:  x, y ──> QueueEnqueueMany ──┐    ┌── queue 0 ──┐
//     client 1 ──> worker 1:  x, y ──> QueueEnqueueMany ──┴──> │  64 places  │ ──> QueueDequeueMany ──> worker 2: model ──> step
//                                                              └─────────────┘

#include "own_processes.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/train/coordinator.hpp>

#include <cmath>
#include <cstdio>
#include <string>
#include <thread>

namespace fg = flowgraph;

// All sessions find the queue by its name, at its task.
fg::fifo_queue<float, float> queue_in(fg::graph& g) {
  const auto on = g.on_device("/job:queue/task:0");
  return fg::fifo_queue<float, float>(g, {.capacity = 64, .shapes = {{2}, {}}, .shared_name = "examples"});
}

int main() {
  own_processes tasks({{"queue", 1}, {"worker", 3}});
  fg::coordinator producers;
  for (std::uint32_t k = 0; k < 2; ++k)
    producers.start("producer " + std::to_string(k), [&, k](std::stop_token stop) {
      fg::graph g;
      auto examples = queue_in(g);
      auto xs = g.placeholder<float>("xs", {fg::any, 2}), ys = g.placeholder<float>("ys", {fg::any});
      auto put = examples.enqueue_many(xs, ys);
      fg::session s{g, fg::tcp::connect(tasks.address("worker", k))};
      std::uint64_t seed = k + 1;
      for (int batch = 0; batch < 100; ++batch) {  // y = 3 a - 2 b
        fg::tensor<float> points({16, 2}), values({16});
        for (std::size_t i = 0; i < 16; ++i) {
          for (std::size_t j = 0; j < 2; ++j) points.writable()[2 * i + j] = static_cast<float>((seed *= 48271) % 1000) / 1000;
          values.writable()[i] = 3 * points(i, 0) - 2 * points(i, 1);
        }
        s.run(put, {{xs, points}, {ys, values}}, {.stop = stop});
      }
    });

  fg::graph g;
  auto examples = queue_in(g);
  auto close = examples.close();
  const auto on = g.on_device("/job:worker/task:2");
  auto [x, y] = examples.dequeue_many(16);
  auto w = g.variable("w", fg::zeros<float>({2, 1}));
  auto loss = fg::mean(fg::square(fg::reshape(fg::matmul(x, w), {16}) - y));
  auto train = fg::sgd{.rate = 0.5f}.minimize(loss);
  fg::session s{g, fg::tcp::connect(tasks.address("worker", 2))};
  s.initialize();
  std::thread closer([&] {
    producers.join();
    s.run(close);
  });
  int steps = 0;
  auto made = s.try_run(fg::fetch(loss), train);
  for (; made; made = s.try_run(fg::fetch(loss), train)) ++steps;
  closer.join();
  const auto learnt = s.run(fg::fetch(w));
  std::printf("after %d steps: %s\nw = [%.3f, %.3f]\n", steps, made.error().what(), learnt[0], learnt[1]);
  return made.error().code() == fg::error_code::out_of_range && std::abs(learnt[0] - 3) < 0.01f && steps == 200 ? 0 : 1;
}
