// The right-hand sides of docs/from_pytorch.md: each is compiled here, and those that give a value run.
//
//     x {2, 4} ──> MatMul(w) ──> Add(b) ──> logits ──> loss ──> train

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/formats/safetensors.hpp>
#include <flowgraph/ops/array/one_hot.hpp>
#include <flowgraph/ops/array/strided_slice.hpp>
#include <flowgraph/ops/linear_algebra/einsum.hpp>
#include <flowgraph/ops/math/special.hpp>
#include <flowgraph/ops/rnn/dynamic_rnn.hpp>
#include <flowgraph/train/clip.hpp>
#include <flowgraph/train/rate_schedule.hpp>

#include <cmath>
#include <cstdio>

namespace fg = flowgraph;

int main(int, char** arguments) {
  fg::graph g;
  g.set_seed(1);
  const float samples[]{1, 2, 3, 4, 5, 6, 7, 8};
  const auto borrowed = fg::tensor<float>::borrow({2, 4}, samples);
  auto x = g.placeholder<float>("x", {fg::any, 4}), y = x * 2.f + 1.f;
  auto labels = g.placeholder<std::int32_t>("labels", {fg::any});
  auto images = g.constant(fg::tensor<float>({1, 8, 8, 3})), a = g.constant(fg::tensor<float>({2, 3, 4}));

  // Tensors.
  auto product = fg::matmul(x, y, {.transpose_b = true});
  auto products = fg::einsum("bij,bkj->bik", {a, a});
  auto flat = fg::reshape(a, {-1, 4});
  auto turned = fg::transpose(a, {0, 2, 1});
  auto joined = fg::concat({x, y}, 1);
  auto stacked = fg::pack({x, y});
  auto sums = fg::sum(x, 1, true);
  auto largest = fg::argmax(x, 1);
  auto chosen = fg::select(x > 2.f, x, y);
  auto rest = fg::strided_slice(x, {fg::slice_spec::all(), fg::slice_spec::from(1)});
  auto hot = fg::one_hot<float>(labels, 10);
  auto fixed = fg::stop_gradient(x);

  // Layers.
  auto w = g.variable("w", fg::glorot_uniform<float>({4, 3})), b = g.variable("b", fg::zeros<float>({3}));
  auto logits = fg::matmul(x, w) + b;
  auto filter = g.variable("filter", fg::he_normal<float>({3, 3, 3, 16})), bias = g.variable("bias", fg::zeros<float>({16}));
  auto maps = fg::max_pool(fg::relu(fg::bias_add(fg::conv2d(images, filter), bias)));
  auto gelu = 0.5f * x * (1.f + fg::erf(x * 0.70710678f));
  auto mean = fg::mean(x, 1, true);
  auto normalized = (x - mean) * fg::rsqrt(fg::mean(fg::squared_difference(x, mean), 1, true) + 1e-5f);
  auto table = g.variable("table", fg::random_normal<float>({1000, 64}, 0, 0.1));
  auto vectors = fg::gather(table, labels);
  auto outputs = fg::dynamic_rnn(fg::lstm_cell<float>(g, 4, 16), a).outputs;

  // Training.
  auto loss = fg::mean(fg::sparse_softmax_cross_entropy(logits, labels));
  auto error = fg::mean(fg::squared_difference(x, y));
  auto [dw, db] = fg::gradients(loss, w, b);
  auto all = fg::group(product, products, flat, turned, joined, stacked, sums, largest, chosen, rest, hot, fixed, maps, gelu,
                       vectors, outputs, error, fg::out<float>(dw), fg::out<float>(db));
  auto step_count = g.variable("step_count", fg::tensor<std::int64_t>(0));
  const fg::adam method{.rate = fg::cosine_decay(1e-3f, step_count, 1000)};
  auto train = method.apply(fg::clip_by_global_norm(method.gradients(loss), 1.f));

  fg::thread_pool pool(2);
  fg::session s{g, {.pool = &pool}};
  s.initialize();
  const fg::tensor<std::int32_t> t({2}, {0, 2});
  const float before = s.run(fg::fetch(loss), {{x, borrowed}, {labels, t}}).scalar();
  for (int i = 0; i < 100; ++i) s.run(train, {{x, borrowed}, {labels, t}});
  const float after = s.run(fg::fetch(loss), {{x, borrowed}, {labels, t}}).scalar();
  auto from = fg::safetensors::open(arguments[1] + std::string("/line.safetensors")).value();
  s.assign({{w, fg::tensor<float>({4, 3})}, {b, fg::tensor<float>({3}, {1, 1, 1})}});
  auto [values, shown] = s.run(fg::fetch(logits, normalized), all, {{x, borrowed}, {labels, t}});
  std::printf("loss %.4f, then %.4f; %zu tensors in the file\n", before, after, from.tensors().size());
  return after < before && values[0] == 1 && std::abs(shown[0] + 1.3416f) < 1e-3f ? 0 : 1;
}
