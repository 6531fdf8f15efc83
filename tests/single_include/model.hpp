#pragma once
// A small classifier. Every source has its own, so that of two shared libraries each trains with its own version of flowgraph.

#include <flowgraph/flowgraph.hpp>

// The loss after `steps` steps of training on four fixed points.
static float loss_after(int steps) {
  namespace fg = flowgraph;
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 2});
  auto t = g.placeholder<std::int32_t>("t", {fg::any});
  auto w = g.variable("w", fg::zeros<float>({2, 2}));
  auto loss = fg::mean(fg::sparse_softmax_cross_entropy(fg::matmul(x, w), t));
  auto train = fg::adam{.rate = 0.1f}.minimize(loss);

  fg::session s{g};
  s.initialize();
  const fg::tensor<float> points{{4, 2}, {1, 0, 2, 1, 0, 1, 1, 2}};
  const fg::tensor<std::int32_t> labels{{4}, {0, 0, 1, 1}};
  for (int i = 0; i < steps; ++i) s.run(train, {{x, points}, {t, labels}});
  return s.run(fg::fetch(loss), {{x, points}, {t, labels}}).scalar();
}
