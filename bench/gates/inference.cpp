// A program that only infers: a small convolutional network with its weights inside. Its size is a gate.

#include "../models.hpp"

#include <cstdio>

int main() {
  namespace fg = flowgraph;
  fg::graph g;
  const auto x = g.placeholder<float>("x", {1, 28, 28, 1});
  bench::layers<false> l(g);
  auto y = l.halve(fg::relu(l.conv(x, 1, 8)));
  y = fg::tanh(l.dense(fg::reshape(y, {-1, 14 * 14 * 8}), 14 * 14 * 8, 32));
  const auto p = fg::softmax(l.dense(y, 32, 10));

  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(p));
  const auto probabilities = step(bench::fill(700, {1, 28, 28, 1}));
  for (const float e : probabilities) std::printf("%.4f\n", static_cast<double>(e));
}
