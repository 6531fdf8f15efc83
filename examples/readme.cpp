// The example of README.md, word for word, with images made up to run it on.
//
//     x ──> MatMul ──> Add ──> SparseSoftmaxCrossEntropy ──> Mean ──> loss ──> gradients ──> ApplyAdam w, b
//             ^         ^ │            ^
//             w         b └> Softmax   t

#include <flowgraph/flowgraph.hpp>

#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::tensor<float> images({20, 784});
  fg::tensor<std::int32_t> labels({20});
  for (std::size_t i = 0; i < 20; ++i) {
    labels.writable()[i] = static_cast<std::int32_t>(i % 10);
    for (std::size_t k = 0; k < 78; ++k) images.writable()[784 * i + 78 * (i % 10) + k] = 1;
  }

  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 784});  // fg::out<float>: a cheap typed handle
  auto t = g.placeholder<std::int32_t>("t", {fg::any});
  auto w = g.variable("w", fg::glorot_uniform<float>({784, 10}));
  auto b = g.variable("b", fg::zeros<float>({10}));
  auto y = fg::matmul(x, w) + b;
  auto p = fg::softmax(y);
  auto loss = fg::mean(fg::sparse_softmax_cross_entropy(y, t));
  auto train = fg::adam{.rate = 1e-3f}.minimize(loss);  // gradients are ordinary nodes in g
  auto [dw, db] = fg::gradients(loss, w, b);            // dense, or slices of a table's rows

  fg::session s{g};  // runs on this thread, makes none
  s.initialize();
  s.run(train, {{x, images}, {t, labels}});  // feed and fetch any edge of the graph
  auto [l, q] = s.run(fg::fetch(loss, p), {{x, images}, {t, labels}});

  auto step = s.prepare(fg::feed(x, t), fg::fetch(loss), train);  // planned once; then nothing is allocated
  float l2 = step(images, labels).scalar();

  float l3 = 0;
  for (int i = 0; i < 50; ++i) l3 = step(images, labels).scalar();
  std::printf("loss %.4f, %.4f, and after 50 steps more %.4f\n", l.scalar(), l2, l3);
  const bool shapes = fg::out<float>(dw).shape() == fg::shape{784, 10} && fg::out<float>(db).shape() == fg::shape{10};
  return shapes && q.shape() == fg::shape{20, 10} && l2 == l.scalar() && l3 < l2 ? 0 : 1;
}
