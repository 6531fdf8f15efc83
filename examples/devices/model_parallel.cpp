// A model too large for one device: an LSTM of three layers, each with its weights, its loop and its gradients on a CPU of its own. What one
// layer reads of its neighbours crosses: sequences forward, their gradients backward.
//
//     x ──> LSTM on cpu:0 ──> LSTM on cpu:1 ──> LSTM on cpu:2 ──> loss
//     weights <── gradients <── gradients <──── gradients <───────┘

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/ops/rnn/dynamic_rnn.hpp>
#include <flowgraph/ops/rnn/lstm_cell.hpp>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace fg = flowgraph;

constexpr std::int64_t batch = 8, time_steps = 6, units = 4;
const std::string devices[] = {"/cpu:0", "/cpu:1", "/cpu:2"};

int main() {
  fg::graph g;
  g.set_seed(1);
  auto x = g.placeholder<float>("x", {fg::any, fg::any, units}),
       wanted = g.placeholder<float>("wanted", {fg::any, fg::any, units});

  std::vector<fg::lstm_cell<float>> cells;
  fg::out_list<float> sequences{x};
  for (const std::string& device : devices) {
    auto on = g.on_device(device);
    const std::string name = "layer_" + device.substr(5);
    cells.emplace_back(g, units, units, fg::lstm_options<float>{.name = name});
    sequences.push_back(fg::dynamic_rnn(cells.back(), sequences.back(), {.name = name}).outputs);
  }
  auto last = g.on_device(devices[2]);
  auto loss = fg::mean(fg::square(sequences[3] - wanted));

  // From the loss back, each layer begins with the gradient of what the next one has read.
  fg::trained_list<float> trained;
  fg::any_grad arrived = fg::gradients(loss, sequences[3]);
  for (std::size_t i = 3; i-- > 0;) {
    auto on = g.on_device(devices[i]);
    const fg::out_list<float> needed{sequences[i], cells[i].weights.kernel, cells[i].weights.bias};
    const auto parts = fg::gradients(sequences[i + 1], needed, {.starts = {&arrived, 1}});
    for (std::size_t k = 1; k < 3; ++k) trained.push_back({needed[k], parts[k]});
    arrived = parts[0];
  }
  auto train = fg::adam{.rate = 0.03f}.apply(trained);

  const fg::device_list cpus = fg::cpu_devices(3, 1 << 20);
  fg::session spread{g, {.devices = cpus}}, alone{g, {.soft_placement = true}};
  std::map<std::string, int> nodes;
  const fg::explanation e =
      spread.explain(fg::fetch(loss), train, {{x, {batch, time_steps, units}}, {wanted, {batch, time_steps, units}}});
  for (const fg::explained_node& n : e.nodes)
    if (n.kind == "transfer") std::printf("%s, %s\n", n.name.c_str(), n.outputs[0].c_str());
    else if (!n.reason.empty()) ++nodes[n.device];
  for (const auto& [device, count] : nodes) std::printf("%d nodes on %s\n", count, device.c_str());

  // Each sequence is to be repeated a step later. On three devices and on one, the losses are equal to the bit.
  fg::tensor<float> in({batch, time_steps, units}), later({batch, time_steps, units});
  for (std::size_t i = 0; i < in.size(); ++i) in.writable()[i] = static_cast<float>(i * 29 % 17) / 17 - 0.5f;
  for (std::size_t i = units; i < in.size(); ++i) later.writable()[i] = i / units % time_steps == 0 ? 0 : in[i - units];
  spread.initialize();
  alone.initialize();
  auto step = spread.prepare(fg::feed(x, wanted), fg::fetch(loss), train),
       same = alone.prepare(fg::feed(x, wanted), fg::fetch(loss), train);
  float found = 1;
  for (int i = 0; i <= 200; ++i) {
    found = step(in, later).scalar();
    if (found != same(in, later).scalar()) return 1;
    if (i % 50 == 0) std::printf("step %d  loss %.4f\n", i, found);
  }
  return found < 0.03f && nodes.size() == 3 ? 0 : 1;
}
