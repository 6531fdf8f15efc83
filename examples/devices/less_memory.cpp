// Training on a device that has too little memory for it: values that the gradients read much later are computed again, or lie on the
// host meanwhile. No bit of the loss changes.
//
//     x ──> 12 layers ──> loss ──> gradients of the layers, the last one first        on cpu:1, with 0.7 of the memory that it takes

#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/flowgraph.hpp>
#include <flowgraph/placement/delay_transfers.hpp>
#include <flowgraph/placement/save_memory.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace fg = flowgraph;

int main() {
  constexpr std::int64_t batch = 256, size = 64;
  fg::graph g;
  g.set_seed(1);
  auto x = g.placeholder<float>("x", {batch, size});
  auto on = g.on_device("/cpu:1");
  fg::out<float> y = x;
  for (int i = 0; i < 12; ++i) {
    auto in = g.in_scope("layer_" + std::to_string(i));
    y = fg::tanh(fg::matmul(y, g.variable("w", fg::glorot_uniform<float>({size, size}))));
  }
  auto loss = fg::mean(fg::square(y));
  auto train = fg::sgd{.rate = 0.1f}.minimize(loss);
  const fg::tensor<float> images({batch, size}, std::vector<float>(batch * size, 0.5f));

  const auto losses_of = [&](fg::session& s) {
    s.initialize();
    auto step = s.prepare(fg::feed(x), fg::fetch(loss), train);
    std::vector<float> losses;
    for (int i = 0; i < 3; ++i) losses.push_back(fg::tensor<float>(step(images)).scalar());
    return losses;
  };
  const fg::device_list ample = fg::cpu_devices(2);
  fg::session unlimited{g, {.devices = ample}};
  const std::vector<float> expected = losses_of(unlimited);
  auto kept = unlimited.prepare(fg::feed(x), fg::fetch(loss), train);
  const std::size_t limit = ample[1].budget()->in_use() * 7 / 10;

  const fg::device_list devices = fg::cpu_devices(2, limit);
  fg::cost_model costs;
  costs.probe(devices);
  fg::delay_transfers held(costs);
  fg::save_memory saving(costs);
  fg::session s{g, {.devices = devices, .passes = {.further = {held, saving}}}};
  const std::vector<float> found = losses_of(s);

  for (const fg::pass_report& p : s.explain(fg::fetch(loss), train, {{x, fg::shape{batch, size}}}).passes)
    for (const std::string& note : p.notes) std::printf("%s: %s\n", p.name.c_str(), note.c_str());
  std::printf("loss %g with %zu bytes as without a limit: %s\n", found[2], limit, found == expected ? "yes" : "no");
  return found == expected ? 0 : 1;
}
