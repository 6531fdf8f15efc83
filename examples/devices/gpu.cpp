// A classifier that trains on a GPU if there is one. Opening a GPU either gives a device or an error that names the missing part; this
// program then decides to train on the CPU.
//
//     points ──> hidden layer ──> classes ──> loss ──> Adam        on gpu:0, or on the CPU

#include <flowgraph/cuda/cuda.hpp>
#include <flowgraph/flowgraph.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace fg = flowgraph;

int main() {
  fg::device_list devices;
  if (auto gpu = fg::cuda::open(0)) {
    (*gpu)->set_priority(1);  // nodes that request no device run there if the GPU has a kernel for them
    devices.push_back(*std::move(gpu));
  } else {
    std::printf("training on the CPU: %s\n", gpu.error().what());
  }

  // Points on two spirals.
  constexpr std::int64_t count = 200;
  std::vector<float> points;
  std::vector<std::int32_t> classes;
  for (int i = 0; i < count; ++i) {
    const int side = i % 2;
    const float turn = 0.03f * static_cast<float>(i), radius = (side ? -1 : 1) * (0.2f + 0.005f * static_cast<float>(i));
    points.insert(points.end(), {radius * std::cos(turn), radius * std::sin(turn)});
    classes.push_back(side);
  }

  fg::graph g;
  g.set_seed(1);
  auto x = g.placeholder<float>("x", {fg::any, 2});
  auto labels = g.placeholder<std::int32_t>("labels", {fg::any});
  auto hidden = fg::tanh(fg::matmul(x, g.variable("w1", fg::glorot_uniform<float>({2, 32}))) +
                         g.variable("b1", fg::tensor<float>(fg::shape{32})));
  auto logits = fg::matmul(hidden, g.variable("w2", fg::glorot_uniform<float>({32, 2})));
  auto loss = fg::mean(fg::sparse_softmax_cross_entropy(logits, labels));
  auto train = fg::adam{.rate = 0.02f}.minimize(loss);

  fg::session s{g, {.devices = devices}};
  s.initialize();
  const fg::tensor<float> inputs({count, 2}, points);
  const fg::tensor<std::int32_t> wanted({count}, classes);
  auto step = s.prepare(fg::feed(x, labels), fg::fetch(loss), train);
  const float first = fg::tensor<float>(step(inputs, wanted)).scalar();
  float last = first;
  for (int i = 0; i < 300; ++i) last = fg::tensor<float>(step(inputs, wanted)).scalar();
  std::printf("loss %.3f, after 300 steps %.3f\n", static_cast<double>(first), static_cast<double>(last));
  return last < 0.3f * first ? 0 : 1;
}
