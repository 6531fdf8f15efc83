// A model on two devices: each layer has its variables and its memory on a CPU of its own, here with a limit. What one reads of the other
// crosses once per step; where every node stands, and why, is told.
//
//     x ──> layer 1 on cpu:0 ──> transfer ──> layer 2 on cpu:1 ──> transfer ──> the fetched value

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/op/device.hpp>

#include <cstdio>
#include <vector>

namespace fg = flowgraph;

fg::out<float> dense(fg::graph& g, fg::out<float> x, std::int64_t inputs, std::int64_t outputs) {
  auto w = g.variable("w", fg::glorot_uniform<float>({inputs, outputs}));
  return fg::tanh(fg::matmul(x, w));
}

int main() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 16});
  fg::out<float> hidden, y;
  {
    auto in = g.in_scope("first");
    auto on = g.on_device("/cpu:0");
    hidden = dense(g, x, 16, 32);
  }
  {
    auto in = g.in_scope("second");
    auto on = g.on_device("/cpu:1");
    y = dense(g, hidden, 32, 4);
  }

  const fg::device_list cpus = fg::cpu_devices(2, 1 << 20);
  fg::session s{g, {.devices = cpus}};
  s.initialize();
  std::fputs(fg::to_text(s.explain(fg::fetch(y), {{x, fg::shape{8, 16}}})).c_str(), stdout);

  const std::vector<float> pixels(8 * 16, 0.5f);
  const fg::tensor<float> images({8, 16}, pixels);
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  const auto together = step(images);

  // The same graph on one device gives the same bits.
  fg::session alone{g, {.resources = &s.resources(), .soft_placement = true}};
  const auto apart = alone.run(fg::fetch(y), {{x, images}});
  bool same = true;
  for (std::size_t i = 0; i < together.size(); ++i) same = same && together[i] == apart[i];
  return same ? 0 : 1;
}
