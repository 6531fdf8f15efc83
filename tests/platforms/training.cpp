// Trains without a file, on any platform, and prints the bits of each step's loss: they are the same everywhere.
//
//     x ─> MatMul ─> BiasAdd ─> Relu ─> MatMul ─> loss ─> Adam

#include <flowgraph/flowgraph.hpp>

#include <bit>
#include <cstdio>

namespace fg = flowgraph;

int main() {
  constexpr std::size_t samples = 48, features = 16, classes = 4;
  fg::graph g;
  g.set_seed(7);
  auto x = g.placeholder<float>("x", {samples, features});
  auto t = g.placeholder<std::int32_t>("t", {samples});
  auto w1 = g.variable("w1", fg::glorot_uniform<float>({features, 24})), b1 = g.variable("b1", fg::zeros<float>({24}));
  auto w2 = g.variable("w2", fg::glorot_uniform<float>({24, classes})), b2 = g.variable("b2", fg::zeros<float>({classes}));
  auto hidden = fg::relu(fg::bias_add(fg::matmul(x, w1), b1));
  auto loss = fg::mean(fg::sparse_softmax_cross_entropy(fg::matmul(hidden, w2) + b2, t));
  auto train = fg::adam{.rate = 1e-2f}.minimize(loss);

  // Each class is a pattern, with noise on it.
  fg::tensor<float> inputs({samples, features});
  fg::tensor<std::int32_t> labels({samples});
  const auto input = inputs.writable();
  const auto label = labels.writable();
  std::uint32_t noise = 1;
  for (std::size_t i = 0; i < label.size(); ++i) {
    label[i] = static_cast<std::int32_t>(i % classes);
    for (std::size_t k = 0; k < features; ++k) {
      noise = noise * 1664525u + 1013904223u;
      const float pattern = k % classes == i % classes ? 1.f : 0.f;
      input[i * features + k] = pattern + static_cast<float>(noise >> 16) / 65536.f;
    }
  }

  fg::session s{g};
  s.try_initialize().value();
  auto step = s.try_prepare(fg::feed(x, t), fg::fetch(loss), train).value();
  for (int i = 0; i < 40; ++i) {
    const float now = step.try_run({}, inputs, labels).value().scalar();
    std::printf("%2d %08x %.6f\n", i, std::bit_cast<std::uint32_t>(now), static_cast<double>(now));
  }
}
