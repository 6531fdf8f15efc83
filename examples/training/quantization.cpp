// Training for weights of four bits: the forward pass uses rounded weights, and gradients pass through the rounding.
//
//     w ──> FakeQuantWithMinMaxVarsPerChannel ──> MatMul ──> loss
//                  ^ range of each column

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/quantize/fake_quantize.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace fg = flowgraph;

constexpr std::int64_t rows = 64, inputs = 12, outputs = 3;
constexpr fg::fake_quantize_attributes four_bits{.num_bits = 4, .narrow_range = true};

// Inputs that depend on each other, so that the errors of rounded weights can compensate each other.
fg::tensor<float> measurements() {
  fg::tensor<float> x({rows, inputs});
  for (std::int64_t i = 0; i < rows * inputs; ++i) {
    const auto row = static_cast<float>(i / inputs), column = static_cast<float>(i % inputs);
    x.writable()[static_cast<std::size_t>(i)] = 1 + std::sin(row * (1 + 0.05f * column)) + 0.2f * std::cos(3 * row * column);
  }
  return x;
}

int main() {
  fg::graph g;
  g.set_seed(2);
  auto x = g.constant(measurements());
  fg::tensor<float> law({inputs, outputs});
  for (int i = 0; i < inputs * outputs; ++i) law.writable()[static_cast<std::size_t>(i)] = std::sin(5.f * static_cast<float>(i));
  auto wanted = fg::matmul(x, g.constant(law));

  auto w = g.variable("w", fg::glorot_uniform<float>({inputs, outputs}));
  auto largest = fg::stop_gradient(fg::max(fg::abs(w), 0));
  auto rounded = fg::fake_quantize_per_channel(w, -largest, largest, four_bits);
  auto exact_loss = fg::mean(fg::squared_difference(fg::matmul(x, w), wanted));
  auto rounded_loss = fg::mean(fg::squared_difference(fg::matmul(x, rounded), wanted));

  auto rate = g.placeholder<float>("rate", {});
  auto train_exact = fg::adam{.rate = 0.02f}.minimize(exact_loss);
  auto train_rounded = fg::adam{.rate = rate}.minimize(rounded_loss);

  fg::session s{g};
  s.initialize();
  for (int i = 0; i < 1500; ++i) s.run(train_exact);
  const auto [exact, after] = s.run(fg::fetch(exact_loss, rounded_loss));
  float aware = after.scalar();
  for (int i = 0; i < 1500; ++i) {
    s.run(train_rounded, {{rate, 0.005f * static_cast<float>(1500 - i) / 1500}});
    aware = std::min(aware, s.run(fg::fetch(rounded_loss)).scalar());
  }
  std::printf("loss %.5f; with weights rounded after training %.5f, rounded in training %.5f\n",
              static_cast<double>(exact.scalar()), static_cast<double>(after.scalar()), static_cast<double>(aware));
  return aware < 0.7f * after.scalar() ? 0 : 1;
}
