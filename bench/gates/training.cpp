// A program that trains a convolutional network with Adam. Its size is a gate.

#include "../models.hpp"

#include <cstdio>

int main() {
  namespace fg = flowgraph;
  const auto images = bench::fill(700, {bench::batch, 28, 28, 1});
  const auto labels = bench::batch_labels();
  const auto c = bench::cnn({fg::any, 28, 28, 1}, {fg::any});
  const fg::target update = fg::adam{.rate = 1e-3f}.minimize(c.loss);

  fg::session s{c.g};
  s.initialize();
  auto step = s.prepare(fg::feed(c.x, c.labels), fg::fetch(c.loss), update);
  for (int i = 0; i < 3; ++i) std::printf("%.4f\n", static_cast<double>(step(images, labels).scalar()));
}
