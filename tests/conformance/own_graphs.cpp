// Graphs of flowgraph with gradients and optimizers, and their answers, as recorded sessions that TensorFlow repeats.
//
//     own_graphs OUT.cases

#include "recorder.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>

namespace {

namespace fg = flowgraph;
using conformance::recorder;

template <class T> fg::tensor<T> wave(const fg::shape& shape) {
  fg::tensor<T> t(shape);
  for (std::size_t i = 0; i < t.size(); ++i) t.writable()[i] = static_cast<T>(std::sin(static_cast<double>(i) * 1.7) / 2);
  return t;
}

// Four images, two classes: a convolution, a pool and a dense layer.
template <class Optimizer> std::string convolution(const std::string& name, const Optimizer& method) {
  fg::graph g;
  const auto images = g.constant(wave<float>({4, 6, 6, 2}), {.name = "images"});
  const auto labels = g.constant(fg::tensor<std::int32_t>({4}, {0, 1, 1, 0}), {.name = "labels"});
  const auto filter = g.variable("filter", wave<float>({3, 3, 2, 3}));
  const auto w = g.variable("w", wave<float>({27, 2}));
  const auto b = g.variable("b", fg::tensor<float>({2}));
  const auto hidden = fg::max_pool(fg::relu(fg::conv2d(images, filter)));
  const auto logits = fg::matmul(fg::reshape(hidden, {4, 27}), w) + b;
  const auto loss = fg::mean(fg::sparse_softmax_cross_entropy(logits, labels));
  const auto train = method.minimize(loss);
  recorder r(name, g);
  r.initialize();
  for (int i = 0; i < 5; ++i) r.run({loss}, {train});
  r.run({filter, w, b, logits});
  return r.file();
}

// Rows of a table, trained with sliced gradients.
template <class Optimizer> std::string embedding(const std::string& name, const Optimizer& method) {
  fg::graph g;
  const auto table = g.variable("table", wave<float>({7, 3}));
  const auto ids = g.constant(fg::tensor<std::int32_t>({5}, {1, 6, 1, 0, 3}), {.name = "ids"});
  const auto loss = fg::sum(fg::square(fg::gather(table, ids) - g.constant(1.f)));
  const auto train = method.minimize(loss);
  recorder r(name, g);
  r.initialize();
  for (int i = 0; i < 4; ++i) r.run({loss}, {train});
  r.run({table});
  return r.file();
}

// A value that was read before a write, with readers after the write.
std::string read_before_write() {
  fg::graph g;
  const auto v = g.variable("v", wave<float>({2, 3}));
  const auto seen = fg::identity(fg::out<float>(v));
  const auto row = fg::reshape(seen, {1, 6});
  const auto before = seen * 2.f;
  const auto write = fg::assign_add(v, g.constant(wave<float>({2, 3})));
  const auto after = fg::exp(row);
  recorder r("read_before_write", g);
  r.initialize();
  for (int i = 0; i < 3; ++i) r.run({before, after}, {write});
  r.run({v});
  return r.file();
}

// The gradient of a gradient, through ops of many families.
std::string second_order() {
  fg::graph g;
  const auto x = g.constant(wave<double>({3, 4}), {.name = "x"});
  const auto w = g.constant(wave<double>({4, 3}), {.name = "w"});
  const auto y = fg::matmul(fg::tanh(x), w);
  const auto z = fg::sum(fg::softmax(y) * fg::sigmoid(y) + fg::exp(y) / (fg::square(y) + 1.0));
  const fg::out<double> dx = fg::gradients(z, x);
  const fg::out<double> ddw = fg::gradients(fg::sum(fg::square(dx)), w);
  recorder r("second_order", g);
  r.run({z, dx, ddw});
  return r.file();
}

std::string reductions_and_moves() {
  fg::graph g;
  const auto x = g.constant(wave<float>({2, 3, 4}), {.name = "x"});
  const auto parts = fg::split(x, 2, 2);
  const auto joined = fg::concat(fg::out_list<float>{parts[1], parts[0]}, 2);
  const auto y = fg::transpose(joined, {2, 0, 1}) * fg::mean(x, {0, 2}) + fg::max(x);
  const fg::out<float> dx = fg::gradients(fg::sum(fg::log(fg::square(y) + 1.f)), x);
  recorder r("reductions_and_moves", g);
  r.run({y, dx});
  return r.file();
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return std::fprintf(stderr, "own_graphs OUT.cases\n"), 2;
  std::ofstream out(words[1], std::ios::binary);
  out << convolution("sgd", fg::sgd{.rate = 0.1f}) << convolution("momentum", fg::momentum{.rate = 0.1f, .momentum = 0.9f})
      << convolution("adam", fg::adam{.rate = 0.01f}) << embedding("embedding_sgd", fg::sgd{.rate = 0.1f})
      << embedding("embedding_momentum", fg::momentum{.rate = 0.1f, .momentum = 0.9f}) << read_before_write() << second_order()
      << reductions_and_moves() << conformance::own_loops();
  return out.flush() ? 0 : 1;
}
