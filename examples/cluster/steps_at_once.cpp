// Steps that are on their way at the same time, on the same tasks: the session's master numbers them, so that no value of one is taken for
// that of another. While one step's values travel, the tasks work on others.
//
//     thread 0:  x ──> worker 0: x w ──> worker 1: tanh, sum ──> y        thread 1:  x ──> worker 0 ──> ...
//                                 (one session, one link, a step each)    thread 2:  x ──> ...

#include "own_processes.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/train/coordinator.hpp>

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace fg = flowgraph;

int main() {
  constexpr int threads = 4, steps = 300;
  own_processes tasks({{"worker", 2}});
  fg::graph g;
  auto x = g.placeholder<float>("x", {16, 16});
  fg::out<float> product, y;
  fg::variable<std::int64_t> count;
  fg::target counted;
  {
    const auto on = g.on_device("/job:worker/task:0");
    product = fg::matmul(x, g.constant(fg::tensor<float>({16, 16}, std::vector<float>(256, 0.01f))));
  }
  {
    const auto on = g.on_device("/job:worker/task:1");
    y = fg::sum(fg::tanh(product));
    count = g.variable("count", fg::tensor<std::int64_t>(0));
    const auto after = g.after(y);
    counted = fg::assign_add(count, g.constant<std::int64_t>(1));
  }

  fg::session s{g, fg::tcp::connect(tasks.address("worker", 0))};
  s.initialize();
  const auto began = std::chrono::steady_clock::now();
  fg::coordinator clients;
  std::vector<int> wrong(threads);
  for (int t = 0; t < threads; ++t)
    clients.start("thread " + std::to_string(t), [&, t](std::stop_token stop) {
      auto step = s.prepare(fg::feed(x), fg::fetch(y), counted);  // a step belongs to one thread
      fg::tensor<float> value({16, 16});
      float before = -1e9f;
      for (int i = 0; i < steps && !stop.stop_requested(); ++i) {
        for (float& e : value.writable()) e = static_cast<float>(i + 1000 * t) / 1000;
        const float now = step(value).scalar();  // grows with i, and with t
        if (now <= before) ++wrong[static_cast<std::size_t>(t)];
        before = now;
      }
    });
  clients.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  const auto made = s.run(fg::fetch(count)).scalar();
  std::printf("%d steps of %d threads in %.2f s\n", static_cast<int>(made), threads, took.count());
  for (const int w : wrong)
    if (w > 0) return 1;
  return made == threads * steps ? 0 : 1;
}
