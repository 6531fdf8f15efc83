// One program that mpirun, srun, torchrun or Kubernetes start many times: each process finds out which task it is, serves its part of the
// cluster, and trains weights that stand at task 0, by examples of its own. README.md has a line for each launcher.
//
//     task 0:  w, and two queues: "ready" and "done"
//     task t:  its examples ──> loss ──> gradient ──> w -= rate * gradient, without waiting for the others

#include <flowgraph/distributed/launch.hpp>
#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/ops/exchange.hpp>
#include <flowgraph/ops/standard.hpp>

#include <cmath>
#include <cstdio>
#include <string>
#include <thread>

namespace fg = flowgraph;

// Given --allow-other-hosts, on several machines.
int main(int count, char** words) {
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  fg::add_exchange_ops(ops).value();
  const fg::tcp::transport_options network{.allow_other_hosts = count > 1 && std::string(words[1]) == "--allow-other-hosts"};
  const auto launched = fg::tcp::cluster_from_environment({}, network);
  if (!launched) {
    std::fprintf(stderr, "%s\n", launched.error().what());
    return 1;
  }
  const auto& [all, job, index, listen, launcher, reserved] = *launched;
  const fg::tcp::server here(all, job, index, ops, {.listen = listen}, network);
  const std::uint32_t number = all.task(job, index).value();
  const bool is_first = number == 0;
  std::printf("%s of %u tasks, started by %s\n", here.name().c_str(), all.size(), launcher.c_str());

  fg::graph g;
  fg::fifo_queue<int> ready, done;
  fg::variable<float> w;
  {
    const auto at_first = g.on_device(all.name_of(0));
    ready = fg::fifo_queue<int>(g, {.shapes = {{}}, .shared_name = "ready"});
    done = fg::fifo_queue<int>(g, {.shapes = {{}}, .shared_name = "done"});
    w = g.variable("w", fg::zeros<float>({2, 1}));
  }
  const auto on_own = g.on_device(here.name());
  auto x = g.placeholder<float>("x", {fg::any, 2}), y = g.placeholder<float>("y", {fg::any, 1});
  auto error = fg::matmul(x, w) - y;
  auto train = fg::sgd{.rate = 0.5f}.minimize(fg::mean(error * error));
  auto one = g.constant(1);
  auto put_ready = ready.enqueue(one), put_done = done.enqueue(one);
  auto is_ready = ready.dequeue(), is_done = done.dequeue();

  fg::session s{g, fg::tcp::connect(all.address_of(number), {}, network)};
  if (is_first) {
    s.initialize();
    for (std::uint32_t t = 1; t < all.size(); ++t) s.run(put_ready);
  } else {
    // Waits for task 0, which may not listen yet.
    for (int tries = 0; tries < 200 && !s.try_run(fg::fetch(is_ready)); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  // y = 3 a - 2 b, at points that each task draws for itself.
  std::uint64_t seed = 1 + 7919 * number;
  for (int step = 0; step < 100; ++step) {
    fg::tensor<float> points({16, 2}), values({16, 1});
    for (float& p : points.writable()) p = static_cast<float>((seed = seed * 48271 % 2147483647) % 1000) / 1000;
    for (std::size_t i = 0; i < 16; ++i) values.writable()[i] = 3 * points(i, 0) - 2 * points(i, 1);
    s.run(train, {{x, points}, {y, values}});
  }
  if (!is_first) {
    (void)s.try_run(put_done);  // task 0 may be gone before it has answered
    return 0;
  }
  for (std::uint32_t t = 1; t < all.size(); ++t) s.run(fg::fetch(is_done));
  const auto learnt = s.run(fg::fetch(w));
  std::printf("w = [%.3f, %.3f]\n", static_cast<double>(learnt[0]), static_cast<double>(learnt[1]));
  return std::abs(learnt[0] - 3) < 0.1f && std::abs(learnt[1] + 2) < 0.1f ? 0 : 1;
}
