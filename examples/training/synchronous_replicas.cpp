// Synchronous replicas with a client thread each: gradients meet in an accumulator, their mean trains once, and everybody goes on with the
// same weights. It ends with what one client reaches that has all the samples in one batch. (In one run: devices/replicas.cpp.)
//
//     client 0:  gradients ──┐                              ┌──> token ──> next step
//     client 1:  gradients ──┼─> accumulator ──> mean ──> w ─┼──> token ──> next step
//     client 2:  gradients ──┘        (the chief)           └──> token ──> next step

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/data_flow/conditional_accumulator.hpp>
#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/train/coordinator.hpp>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace fg = flowgraph;

// Sample number i of all: a point.
fg::tensor<float> samples(int first, int count) {
  fg::tensor<float> made({static_cast<std::size_t>(count), 2});
  for (int i = 0; i < 2 * count; ++i)
    made.writable()[static_cast<std::size_t>(i)] = static_cast<float>((2 * first + i) * 37 % 101) / 101;
  return made;
}

int main() {
  constexpr int replicas = 3, rows = 8, steps = 50;
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 2});
  auto w = g.variable("w", fg::zeros<float>({2, 1}));
  auto global_step = g.variable("global_step", fg::tensor<std::int64_t>(0));
  auto wanted = fg::matmul(x, g.constant(fg::tensor<float>({2, 1}, {2, -1})));
  auto loss = fg::mean(fg::square(fg::matmul(x, w) - wanted));
  const fg::sgd method{.rate = 0.5f};
  auto parts = method.gradients(loss);

  fg::conditional_accumulator<float> sums(g, {.shape = {2, 1}});
  std::vector<fg::fifo_queue<std::int64_t>> tokens;  // one each: nobody takes another's and runs ahead
  for (int i = 0; i < replicas; ++i) tokens.emplace_back(g, fg::queue_options{.capacity = 1});
  auto give = sums.apply_gradient(parts[0].gradient, global_step);
  std::vector<fg::target> next;
  for (auto& queue : tokens) next.push_back(queue.dequeue());  // waits until the step is done
  fg::target update;
  {
    auto means = parts;
    means[0].gradient = {sums.take_gradient(replicas)};
    auto after = g.after(method.apply(means));
    auto counted = fg::assign_add(global_step, g.constant<std::int64_t>(1));
    std::vector<fg::target> done;
    for (auto& queue : tokens) done.push_back(queue.enqueue(counted));
    update = fg::group(g, done);
  }

  fg::session s{g};
  s.initialize();
  fg::coordinator clients;
  for (int i = 0; i < replicas; ++i)
    clients.start("replica " + std::to_string(i), [&, i](std::stop_token stop) {
      const auto mine = samples(i * rows, rows);
      for (int step = 0; step < steps; ++step) {
        s.run(give, {{x, mine}}, {.stop = stop});
        s.run(next[static_cast<std::size_t>(i)], {}, {.stop = stop});
      }
    });
  clients.start("chief", [&](std::stop_token stop) {
    for (int step = 0; step < steps; ++step) s.run(update, {}, {.stop = stop});
  });
  clients.join();

  // One client, one batch of all.
  fg::session alone{g};
  alone.initialize();
  const auto train = method.apply(parts);
  for (int step = 0; step < steps; ++step) alone.run(train, {{x, samples(0, replicas * rows)}});
  const auto expected = alone.run(fg::fetch(w)), found = s.run(fg::fetch(w));
  std::printf("%d replicas: w %.5f %.5f; alone: %.5f %.5f\n", replicas, found[0], found[1], expected[0], expected[1]);
  return std::abs(found[0] - expected[0]) < 1e-4f && std::abs(found[1] - expected[1]) < 1e-4f && found[0] > 0.5f ? 0 : 1;
}
