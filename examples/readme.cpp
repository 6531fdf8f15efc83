// The quick start of README.md, word for word: a network of two layers learns a sine from 64 points.
//
//     x ──> MatMul ──> Add ──> Tanh ──> MatMul ──> Add ──> guess ──> SquaredDifference ──> Mean ──> loss ──> train
//             ^         ^                 ^         ^                        ^
//             w1        b1                w2        b2                       y

#include <flowgraph/flowgraph.hpp>

#include <cmath>
#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::graph g;  // the model: described once
  g.set_seed(1);
  auto x = g.placeholder<float>("x", {fg::any, 1});
  auto y = g.placeholder<float>("y", {fg::any, 1});
  auto w1 = g.variable("w1", fg::glorot_uniform<float>({1, 32})), b1 = g.variable("b1", fg::zeros<float>({32}));
  auto w2 = g.variable("w2", fg::glorot_uniform<float>({32, 1})), b2 = g.variable("b2", fg::zeros<float>({1}));
  auto guess = fg::matmul(fg::tanh(fg::matmul(x, w1) + b1), w2) + b2;
  auto loss = fg::mean(fg::squared_difference(guess, y));
  auto train = fg::adam{.rate = 0.01f}.minimize(loss);  // adds the gradients and the updates to the graph

  fg::tensor<float> xs({64, 1}), ys({64, 1});  // the data
  for (std::size_t i = 0; i < 64; ++i) {
    xs.writable()[i] = static_cast<float>(i) / 10 - 3.2f;
    ys.writable()[i] = std::sin(xs[i]);
  }

  fg::session s{g};  // runs the graph on this thread
  s.initialize();
  auto step = s.prepare(fg::feed(x, y), fg::fetch(loss), train);  // planned once; a warm step allocates nothing
  float last = 0;
  for (int i = 0; i <= 1000; ++i) {
    last = step(xs, ys).scalar();
    if (i % 250 == 0) std::printf("step %4d  loss %.6f\n", i, last);
  }

  auto found = s.run(fg::fetch(guess), {{x, fg::tensor<float>({1, 1}, {0.5f})}});
  std::printf("sin(0.5) = %.3f, the network says %.3f\n", std::sin(0.5), found.scalar());
  return last < 1e-3f && std::fabs(found.scalar() - std::sin(0.5f)) < 0.05f ? 0 : 1;
}
