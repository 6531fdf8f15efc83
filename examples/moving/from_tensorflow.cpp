// The right-hand sides of docs/from_tensorflow.md that stand in no other example: each is compiled here, and runs.
//
//     x {2, 4} ──> MatMul(w) ──> Add(b) ──> logits ──> loss ──> train

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/array/embedding.hpp>
#include <flowgraph/ops/array/one_hot.hpp>
#include <flowgraph/ops/control_flow/map.hpp>
#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/ops/input/slices.hpp>
#include <flowgraph/ops/math/clip.hpp>
#include <flowgraph/ops/nn/top_k.hpp>
#include <flowgraph/train/queue_runner.hpp>
#include <flowgraph/train/saver.hpp>

#include <cstdio>
#include <filesystem>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  g.set_seed(1);
  auto x = g.placeholder<float>("x", {fg::any, 4});
  auto labels = g.placeholder<std::int32_t>("labels", {fg::any});
  auto two = g.constant(2.f);
  auto w = g.variable("w", fg::glorot_uniform<float>({4, 3})), b = g.variable("b", fg::zeros<float>({3}));
  auto logits = fg::matmul(x, w) + b;
  auto loss = fg::mean(fg::sparse_softmax_cross_entropy(logits, labels, {.name = "xentropy"}));
  auto train = fg::adam{.rate = 1e-2f}.minimize(loss);
  fg::out<float> dx = fg::gradients(loss, x);

  auto wide = fg::cast<double>(x);
  auto deep = fg::expand_dims(x, -1);
  auto parts = fg::split(x, 2, 1);
  auto hot = fg::one_hot<float>(labels, 10);
  auto vectors = fg::embedding_lookup(w, labels);
  auto clipped = fg::clip_by_value(x, 0.f, 1.f);
  auto [best, which] = fg::top_k(logits, g.constant(2));
  auto squares = fg::map_fn([](auto row) { return row * row; }, x);
  auto grown = fg::while_loop(
      two, [](auto v) { return v < 100.f; }, [](auto v) { return v * 2.f; });
  auto picked = fg::cond(
      grown < 128.f, [&] { return two; }, [&] { return two * 3.f; });
  auto count = g.variable("count", fg::zeros<float>({}));
  auto counted = fg::assign_add(count, g.constant(1.f));
  fg::out<float> after_counting;
  {
    auto after = g.after(counted);
    after_counting = fg::identity(two);
  }
  fg::fifo_queue<float> q(g, {.capacity = 10, .shapes = {{}}});
  auto put = q.enqueue(two);
  auto taken = q.dequeue();
  auto batches = fg::slices({.size = 2, .epochs = 3, .shuffles = true}, g.constant(fg::tensor<float>({8, 4})));
  auto all = fg::group(dx, wide, deep, parts[0], hot, vectors, clipped, best, which, squares, picked, after_counting);

  const auto folder = std::filesystem::temp_directory_path() / "flowgraph_from_tensorflow";
  fg::saver saver(g, {.directory = folder.string()});
  fg::session s{g};
  s.initialize();
  fg::coordinator workers;
  fg::queue_runner(batches.filling).start(s, workers);
  const fg::tensor<float> images({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const fg::tensor<std::int32_t> t({2}, {0, 2});
  s.run(train, {{x, images}, {labels, t}});
  auto [l, p] = s.run(fg::fetch(loss, picked), all, {{x, images}, {labels, t}});
  s.run(put);
  const float back = s.run(fg::fetch(taken)).scalar();
  int rows = 0;
  while (auto made = s.try_run(fg::fetch(batches.components))) rows += static_cast<int>(made->dim(0));
  workers.join();
  saver.save(s, 1).value();
  std::filesystem::remove_all(folder);
  std::printf("loss %.4f; %d rows of three epochs\n", l.scalar(), rows);
  return p.scalar() == 6 && back == 2 && rows == 24 ? 0 : 1;
}
