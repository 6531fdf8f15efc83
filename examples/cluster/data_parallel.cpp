// Data parallel, synchronous, on three processes beside this one: each worker has the gradients of its rows of the batch, and their mean
// changes the variables once, at the task that holds them. One session, one run a step.
//
//     x, y ──┬─> rows  0 to 15 ─> worker 0 ──> gradients ──┐
//            └─> rows 16 to 31 ─> worker 1 ──> gradients ──┴──> mean on ps 0 ──> Adam ──> variables, read by both

#include "own_processes.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/train/replicate.hpp>

#include <cstdio>

namespace fg = flowgraph;

struct model {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any, 2}), y = g.placeholder<float>("y", {fg::any, 1});
  fg::out<float> loss;
  fg::target train;

  // Without tasks, both replicas stand on this process's processor.
  explicit model(bool on_tasks) {
    g.set_seed(1);
    const std::string ps = on_tasks ? "/job:ps/task:0" : "";
    const fg::device_names workers{on_tasks ? "/job:worker/task:0" : "", on_tasks ? "/job:worker/task:1" : ""};
    const auto guess = [](const fg::replica& r, fg::out<float> in) {
      auto w = r.variable("w", fg::glorot_uniform<float>({2, 16}));
      auto b = r.variable("b", fg::zeros<float>({16}));
      auto v = r.variable("v", fg::glorot_uniform<float>({16, 1}));
      return fg::matmul(fg::tanh(fg::bias_add(fg::matmul(in, w), b)), v);
    };
    const auto [mean_loss, gradients] =
        fg::replicate(g, workers, [&](const fg::replica& r) { return fg::mean(fg::square(guess(r, r.rows(x)) - r.rows(y))); },
                      {.variables = ps});
    loss = mean_loss;
    const auto on = g.on_device(ps);
    train = fg::adam{.rate = 1e-2f}.apply(gradients);
  }
};

int main() {
  own_processes tasks({{"ps", 1}, {"worker", 2}});
  model far(true), near(false);
  fg::session spread{far.g, fg::tcp::connect(tasks.address("worker", 0))}, alone{near.g};
  spread.initialize();
  alone.initialize();
  auto step = spread.prepare(fg::feed(far.x, far.y), fg::fetch(far.loss), far.train),
       same = alone.prepare(fg::feed(near.x, near.y), fg::fetch(near.loss), near.train);

  fg::tensor<float> points({32, 2}), products({32, 1});
  std::uint64_t seed = 1;
  float found = 1;
  for (int i = 1; i <= 300; ++i) {
    for (std::size_t k = 0; k < 32; ++k) {
      for (std::size_t j = 0; j < 2; ++j) points.writable()[2 * k + j] = static_cast<float>((seed *= 48271) % 2001) / 1000 - 1;
      products.writable()[k] = points(k, 0) * points(k, 1);
    }
    found = step(points, products).scalar();
    if (found != same(points, products).scalar()) return 1;  // in four processes as in one, to the bit
    if (i % 100 == 0) std::printf("step %d  loss %.5f\n", i, found);
  }
  return found < 0.01f ? 0 : 1;
}
