// A queue between threads: some make examples, one trains on batches of them. Who is too fast waits for the other side.
//
//     thread 1:  x, y ──> QueueEnqueueMany ──> ┌───────┐
//     thread 2:  x, y ──> QueueEnqueueMany ──> │ queue │ ──> QueueDequeueMany ──> model ──> loss ──> step
//                                              └───────┘
//                last one ──> QueueClose ────────^

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/data_flow/fifo_queue.hpp>

#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  fg::fifo_queue<float, float> examples(g, {.capacity = 64, .shapes = {{2}, {}}});

  auto xs = g.placeholder<float>("xs", {fg::any, 2});
  auto ys = g.placeholder<float>("ys", {fg::any});
  auto put = examples.enqueue_many(xs, ys);
  auto no_more = examples.close();

  auto [x, y] = examples.dequeue_many(16);
  auto w = g.variable("w", fg::zeros<float>({2, 1}));
  auto error = fg::reshape(fg::matmul(x, w), {16}) - y;
  auto loss = fg::mean(error * error);
  auto train = fg::sgd{.rate = 0.5f}.minimize(loss);

  fg::session s{g};
  s.initialize();

  // y = 3 a - 2 b, of points that each thread makes on its own.
  const auto produce = [&](std::uint64_t seed) {
    for (int batch = 0; batch < 200; ++batch) {
      fg::tensor<float> points({8, 2}), values({8});
      for (std::size_t i = 0; i < 8; ++i) {
        for (std::size_t k = 0; k < 2; ++k) points.writable()[2 * i + k] = static_cast<float>((seed *= 48271) % 1000) / 1000;
        values.writable()[i] = 3 * points(i, 0) - 2 * points(i, 1);
      }
      s.run(put, {{xs, points}, {ys, values}});
    }
  };
  std::thread trainer([&] {
    for (int step = 0;; ++step) {
      const auto made = s.try_run(fg::fetch(loss), train);
      if (made && step % 25 == 0) std::printf("step %d, loss %.6f\n", step, static_cast<double>(made->scalar()));
      if (made) continue;
      const bool ended = made.error().code() == fg::error_code::out_of_range;
      std::printf("after %d steps: %s\n", step, ended ? "no more examples" : made.error().what());
      return;
    }
  });
  std::vector<std::thread> producers;
  for (std::uint64_t k = 1; k <= 2; ++k) producers.emplace_back(produce, k);
  for (std::thread& p : producers) p.join();
  s.run(no_more);
  trainer.join();

  const auto learnt = s.run(fg::fetch(w));
  std::printf("w = [%.3f, %.3f]\n", static_cast<double>(learnt[0]), static_cast<double>(learnt[1]));
  return std::abs(learnt[0] - 3) < 0.01f && std::abs(learnt[1] + 2) < 0.01f ? 0 : 1;
}
