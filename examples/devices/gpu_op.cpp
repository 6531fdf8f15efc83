// Two ops of your own with kernels for GPUs, which gpu_op.cu contains. Without a GPU, their kernels for the CPU run.
//
//     x ──> SoftSquare ──> RowSteps ──> y

#include "gpu_op.hpp"

#include <flowgraph/cuda/cuda.hpp>
#include <flowgraph/flowgraph.hpp>

#include <cstdio>

int main() {
  fg::device_list devices;
  if (auto gpu = fg::cuda::open(0)) {
    add_gpu_kernels(**gpu);
    (*gpu)->set_priority(1);
    devices.push_back(*std::move(gpu));
  } else {
    std::printf("on the CPU: %s\n", gpu.error().what());
  }

  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, fg::any});
  auto y = fg::apply(row_steps{}, fg::apply(soft_square{}, x));
  fg::session s{g, {.devices = devices}};
  const fg::tensor<float> made = s.run(fg::fetch(y), {{x, fg::tensor<float>({2, 3}, {0, 1, 2, 3, 2, 0})}});
  for (std::size_t i = 0; i < made.size(); ++i) std::printf("%.3f\n", static_cast<double>(made[i]));
  return made[0] == 0.5f && made[3] == -0.8f ? 0 : 1;
}
