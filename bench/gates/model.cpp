// A typed model of about 50 nodes that learns, as a user writes one: what it costs a compiler is a gate.

#include <flowgraph/flowgraph.hpp>

#include <cstdio>

namespace fg = flowgraph;

namespace {

fg::out<float> dense(fg::graph& g, const char* name, fg::out<float> x, int inputs, int outputs) {
  auto in = g.in_scope(name);
  auto w = g.variable("w", fg::glorot_uniform<float>({inputs, outputs}));
  auto b = g.variable("b", fg::zeros<float>({outputs}));
  return fg::bias_add(fg::matmul(x, w), b);
}

}  // namespace

int main() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {8, 12, 12, 1});
  auto t = g.placeholder<std::int32_t>("t", {8});
  auto rate = g.placeholder<float>("rate", {});

  auto kernel = g.variable("kernel", fg::glorot_uniform<float>({3, 3, 1, 8}));
  auto image = fg::relu(fg::conv2d(x, kernel));
  auto pooled = fg::max_pool(image);
  auto flat = fg::reshape(pooled, {8, 6 * 6 * 8});

  auto a = fg::tanh(dense(g, "left", flat, 6 * 6 * 8, 16));
  auto b = fg::sigmoid(dense(g, "right", flat, 6 * 6 * 8, 16));
  auto mixed = a * b + (1.f - b) * fg::square(a);
  auto scaled = (mixed - fg::mean(mixed)) / fg::sqrt(fg::mean(fg::square(mixed)) + 1e-5f);
  auto joined = fg::concat({scaled, fg::exp(-fg::abs(a))}, 1);
  auto halves = fg::transpose(joined, {1, 0});
  auto gated = fg::transpose(fg::maximum(halves, 0.f) * rate, {1, 0});

  auto logits = dense(g, "logits", gated, 32, 10);
  auto losses = fg::sparse_softmax_cross_entropy(logits, t);
  auto penalty = fg::sum(fg::square(kernel)) * 1e-4f;
  auto loss = fg::mean(losses) + penalty;
  auto hits = fg::mean(fg::cast<float>(fg::equal(fg::cast<std::int32_t>(fg::argmax(logits, 1)), t)));
  auto train = fg::adam{.rate = 1e-3f}.minimize(loss);

  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(x, t, rate), fg::fetch(loss, hits), train);
  auto [l, h] = step(fg::tensor<float>({8, 12, 12, 1}), fg::tensor<std::int32_t>(fg::shape{8}), 1.f);
  std::printf("%zu nodes, loss %g, accuracy %g\n", g.size(), static_cast<double>(l.scalar()), static_cast<double>(h.scalar()));
}
