// Runs an op of this program on a GPU if there is a GPU, otherwise on the CPU.

#include "thrice.hpp"

#include <flowgraph/cuda/cuda.hpp>
#include <flowgraph/flowgraph.hpp>

#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::device_list devices;
  auto gpu = fg::cuda::open(0);
  if (gpu) {
    add_thrice(**gpu);
    devices.push_back(*std::move(gpu));
  } else {
    std::printf("%s\n", gpu.error().what());
    fg::device other("other:0");
    add_thrice(other);
    if (!other.runs(fg::table_of<thrice, float>)) return 2;
  }
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  auto y = fg::apply(thrice{}, x);
  fg::session s{g, {.devices = devices}};
  const fg::tensor<float> made = s.run(fg::fetch(y), {{x, fg::tensor<float>({2}, {1, 2})}});
  return made[1] == 6 ? 0 : 1;
}
