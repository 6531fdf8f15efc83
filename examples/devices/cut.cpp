// A loop over two devices in one plan, and cut between them: each device then has an executor of its own, which sends and receives once per
// iteration. The answers are the same to the bit.
//
//     Newton's method for the square roots of x: the guess goes around on cpu:0, the quotient is made on cpu:1

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/op/device.hpp>

#include <cstdio>
#include <cstring>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  const auto [rounds, root] = fg::while_loop(
      std::tuple{g.constant(0), x}, [&](fg::out<int> i, fg::out<float>) { return i < 20; },
      [&](fg::out<int> i, fg::out<float> guess) {
        fg::out<float> quotient;
        {
          auto there = g.on_device("/cpu:1");
          quotient = x / guess;
        }
        return std::tuple(i + 1, (guess + quotient) * 0.5f);
      });

  const fg::device_list cpus = fg::cpu_devices(2);
  fg::session together{g, {.devices = cpus}};
  fg::session apart{g, {.devices = cpus, .cut = fg::per_device}};
  const fg::tensor<float> numbers({4}, {1, 2, 9, 1000});
  const auto in_one_plan = together.run(fg::fetch(root), {{x, numbers}});
  const auto in_parts = apart.run(fg::fetch(root), {{x, numbers}});
  for (std::size_t k = 0; k < numbers.size(); ++k) std::printf("the root of %g is %g\n", numbers[k], in_parts[k]);
  return std::memcmp(&in_one_plan[0], &in_parts[0], numbers.size() * sizeof(float)) == 0 ? 0 : 1;
}
