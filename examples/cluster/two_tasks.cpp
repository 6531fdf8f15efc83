// The first cluster: a graph on two tasks, and a session that runs it there. docs/clusters.md has the lines that start the tasks; then the
// address of one of them is the program's argument. Without one it starts two itself.
//
//     x ──> hidden on worker 0 ──> y on worker 1 ──> loss          one session, one run a step

#include "own_processes.hpp"

#include <flowgraph/flowgraph.hpp>

#include <cstdio>
#include <optional>

namespace fg = flowgraph;

int main(int count, char** words) {
  const bool are_started = count > 1 && std::string_view(words[1]).find(':') != std::string_view::npos;
  std::optional<own_processes> own;
  if (!are_started) own.emplace(std::vector<std::pair<std::string, std::uint32_t>>{{"worker", 2}});
  const std::string address = are_started ? words[1] : own->address("worker", 0);

  fg::graph g;
  g.set_seed(1);
  auto x = g.placeholder<float>("x", {fg::any, 2}), wanted = g.placeholder<float>("wanted", {fg::any, 1});
  fg::out<float> hidden, y;
  {
    const auto on = g.on_device("/job:worker/task:0");
    auto w = g.variable("w", fg::glorot_uniform<float>({2, 16}));
    hidden = fg::tanh(fg::matmul(x, w));
  }
  {
    const auto on = g.on_device("/job:worker/task:1");
    auto v = g.variable("v", fg::glorot_uniform<float>({16, 1}));
    y = fg::matmul(hidden, v);
  }
  auto loss = fg::mean(fg::square(y - wanted));
  auto train = fg::adam{.rate = 3e-2f}.minimize(loss);

  fg::session s{g, fg::tcp::connect(address)};
  s.initialize();
  auto step = s.prepare(fg::feed(x, wanted), fg::fetch(loss), train);

  // The sum of both numbers.
  const fg::tensor<float> points({4, 2}, {0, 0, 0, 1, 1, 0, 0.5f, 0.5f}), sums({4, 1}, {0, 1, 1, 1});
  float found = 1;
  for (int i = 1; i <= 300; ++i) {
    found = step(points, sums).scalar();
    if (i % 100 == 0) std::printf("step %d  loss %.6f\n", i, static_cast<double>(found));
  }
  return found < 1e-3f ? 0 : 1;
}
