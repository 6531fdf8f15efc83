// A model whose layers stand on different machines, in one loop over time: each task has the weights of its layer, and in every turn the
// loop's values go from task to task. So do their gradients, turn by turn, back.
//
//     ┌─> h ──> tanh(h A) on worker 0 ──> tanh(. B) on worker 1 ──> + x ──┐      A and B never travel
//     └──────────────────────── four turns <──────────────────────────────┘

#include "own_processes.hpp"

#include <flowgraph/flowgraph.hpp>

#include <cstdio>
#include <string>
#include <tuple>

namespace fg = flowgraph;

struct model {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any, 4}), wanted = g.placeholder<float>("wanted", {fg::any, 4});
  fg::out<float> loss;
  fg::target train;

  // Without tasks, all of it stands on this process's processor.
  explicit model(bool on_tasks) {
    g.set_seed(1);
    const auto on = [&](int worker) { return g.on_device(on_tasks ? "/job:worker/task:" + std::to_string(worker) : ""); };
    fg::variable<float> a, b;
    {
      const auto here = on(0);
      a = g.variable("a", fg::glorot_uniform<float>({4, 4}));
    }
    {
      const auto here = on(1);
      b = g.variable("b", fg::glorot_uniform<float>({4, 4}));
    }
    const auto turns = g.constant(4);
    auto [turn, last] = fg::while_loop(
        std::tuple{g.constant(0), x}, [&](auto i, auto) { return i < turns; },
        [&](auto i, auto h) {
          fg::out<float> first;
          {
            const auto here = on(0);
            first = fg::tanh(fg::matmul(h, a));
          }
          const auto here = on(1);
          return std::tuple{i + 1, fg::tanh(fg::matmul(first, b)) + x};
        });
    loss = fg::mean(fg::square(last - wanted));
    train = fg::adam{.rate = 0.02f}.minimize(loss);
  }
};

int main() {
  own_processes tasks({{"worker", 2}});
  model far(true), near(false);
  fg::session spread{far.g, fg::tcp::connect(tasks.address("worker", 0))}, alone{near.g};
  spread.initialize();
  alone.initialize();
  auto step = spread.prepare(fg::feed(far.x, far.wanted), fg::fetch(far.loss), far.train),
       same = alone.prepare(fg::feed(near.x, near.wanted), fg::fetch(near.loss), near.train);

  fg::tensor<float> in({8, 4}), out({8, 4});
  for (std::size_t i = 0; i < in.size(); ++i) {
    in.writable()[i] = static_cast<float>(i * 29 % 17) / 17 - 0.5f;
    out.writable()[i] = in[i] * 1.5f;
  }
  float first = 0, found = 0;
  for (int i = 0; i <= 100; ++i) {
    found = step(in, out).scalar();
    if (found != same(in, out).scalar()) return 1;  // in three processes as in one, to the bit
    if (i == 0) first = found;
    if (i % 50 == 0) std::printf("step %d  loss %.4f\n", i, found);
  }
  return found < first / 4 ? 0 : 1;
}
