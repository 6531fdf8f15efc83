// A model that does not fit one device: who stands where is left to a cost model. It knows shapes and figures of speed, what a measured
// run took, and how fast values get from device to device; explain tells where each node went and why.
//
//     x ──> layer 0 ──> layer 1 ──> layer 2 ──> layer 3 ──> y        two CPUs, each with too little room for all

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/placement/cost_placement.hpp>

#include <cstdio>
#include <set>
#include <string>
#include <vector>

namespace fg = flowgraph;

int main() {
  constexpr std::int64_t size = 256;
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, size});
  fg::out<float> y = x;
  for (int i = 0; i < 4; ++i) {
    auto in = g.in_scope("layer_" + std::to_string(i));
    auto w = g.variable("w", fg::glorot_uniform<float>({size, size}));
    y = fg::tanh(fg::matmul(y, w));
  }
  const std::vector<float> pixels(64 * size, 0.5f);
  const fg::tensor<float> images({64, size}, pixels);

  // A run on one device, measured. What it keeps could be saved by to_text() and loaded by from_text().
  fg::session alone{g};
  alone.initialize();
  fg::measurements seen;
  const auto expected = alone.run(fg::fetch(y), {{x, images}}, {.measure = &seen});

  const fg::device_list cpus = fg::cpu_devices(2, 1600 * 1024);
  fg::cost_model costs;
  costs.add(seen);
  costs.probe(cpus);
  fg::cost_placement by_cost(costs);
  fg::session s{g, {.devices = cpus, .placement = &by_cost}};
  s.initialize();
  const auto found = s.run(fg::fetch(y), {{x, images}});

  std::set<std::string> devices;
  for (const fg::explained_node& n : s.explain(fg::fetch(y)).nodes)
    if (n.op.starts_with("MatMul")) {
      std::printf("%s on %s (%s)\n", n.name.c_str(), n.device.c_str(), n.reason.c_str());
      devices.insert(n.device);
    }
  const fg::placement_forecast forecast = by_cost.forecast();
  std::printf("a run is expected to take %.3f ms, with %zu transfers\n", 1e3 * forecast.seconds, forecast.transfers);

  bool same = found.size() == expected.size();
  for (std::size_t i = 0; same && i < found.size(); ++i) same = found[i] == expected[i];
  return same && devices.size() == 2 && forecast.excess == 0 ? 0 : 1;
}
