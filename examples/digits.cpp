// Handwritten digits, from data to predictions: a small convolutional network is trained from scratch, saved, and loaded again.
//
//     images ─> Conv2D ─> Relu ─> MaxPool ─> Conv2D ─> Relu ─> MaxPool ─> features ─┬─> Dropout ─> MatMul ─> loss ─> train
//     8x8x1     8x8x16             4x4x16    4x4x32             2x2x32     128      └────────────> MatMul ─> predictions

#include "shared/digits.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/observe/event_writer.hpp>
#include <flowgraph/observe/trace.hpp>
#include <flowgraph/train/checkpoint_hook.hpp>
#include <flowgraph/train/training_hooks.hpp>

#include <filesystem>

namespace fg = flowgraph;

int main(int count, char** arguments) {
  const std::string data = count > 1 ? arguments[1] : "examples/data";
  const std::string folder = std::string(count > 2 ? arguments[2] : ".") + "/digits_training";
  auto [training, held_out] = read_digits(data + "/digits.csv");
  if (training.size() + held_out.size() != 1797) return std::printf("cannot read %s/digits.csv\n", data.c_str()), 1;
  std::filesystem::remove_all(folder);  // what an earlier run left, which this one would go on with

  fg::graph g;
  g.set_seed(1);
  auto images = g.placeholder<float>("images", {fg::any, 8, 8, 1});
  auto labels = g.placeholder<std::int32_t>("labels", {fg::any});
  auto w1 = g.variable("w1", fg::he_normal<float>({3, 3, 1, 16})), b1 = g.variable("b1", fg::zeros<float>({16}));
  auto w2 = g.variable("w2", fg::he_normal<float>({3, 3, 16, 32})), b2 = g.variable("b2", fg::zeros<float>({32}));
  auto w3 = g.variable("w3", fg::glorot_uniform<float>({128, 10})), b3 = g.variable("b3", fg::zeros<float>({10}));

  auto pooled = fg::max_pool(fg::relu(fg::bias_add(fg::conv2d(images, w1), b1)));
  auto features = fg::reshape(fg::max_pool(fg::relu(fg::bias_add(fg::conv2d(pooled, w2), b2))), {-1, 128});
  auto loss = fg::mean(fg::sparse_softmax_cross_entropy(fg::matmul(fg::dropout(features, 0.25f), w3) + b3, labels));
  auto train = fg::adam{.rate = 2e-3f}.minimize(loss);
  auto predictions = fg::argmax<std::int32_t>(fg::matmul(features, w3) + b3, 1);
  auto accuracy = fg::mean(fg::cast<float>(fg::equal(predictions, labels)));
  fg::checkpoint_hook checkpoints(g, {.directory = folder, .name = "digits", .keep = 2}, {.each_epoch = true});

  constexpr std::size_t batch = 32;
  fg::tensor<float> x({batch, 8, 8, 1}), test_x({held_out.size(), 8, 8, 1});
  fg::tensor<std::int32_t> t({batch}), test_t({held_out.size()});
  copy_batch(held_out, 0, test_x, test_t);

  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(images, labels), fg::fetch(loss), train);
  auto judge = s.prepare(fg::feed(images, labels), fg::fetch(accuracy));

  auto events = fg::event_writer::create(folder).value();
  events.add_graph(g).value();
  fg::summary_hook summaries(events, {.every_steps = 5});
  summaries.watch("accuracy", [&]() -> fg::result<float> { return judge(test_x, test_t).scalar(); });
  fg::progress_hook progress({.samples_per_step = batch, .seconds = 0.5});
  fg::training_loop loop(s, {.epochs = 15, .steps_per_epoch = static_cast<std::int64_t>(training.size() / batch)});
  loop.add(checkpoints).add(summaries).add(progress);
  fg::trace_recorder seen;
  std::mt19937 random(1);
  loop.run([&](const fg::training_progress& now) {
    if (now.step_in_epoch == 0) shuffle(training, random);
    copy_batch(training, static_cast<std::size_t>(now.step_in_epoch) * batch, x, t);
    return step.try_run({.trace = now.step == 100 ? &seen : nullptr}, x, t);
  });
  seen.write_chrome_trace(folder + "/trace.json").value();

  // A session that has never been initialized gets its weights from the checkpoint.
  fg::session fresh{g};
  checkpoints.saver().restore_latest(fresh).value();
  auto [taken_for, reached] = fresh.run(fg::fetch(predictions, accuracy), {{images, test_x}, {labels, test_t}});

  std::vector<std::size_t> shown{0, 1, 6};  // and the first one that is misread
  for (std::size_t i = 0; i < held_out.size() && shown.size() < 4; ++i)
    if (taken_for[i] != test_t[i]) shown.push_back(i);
  draw(held_out, taken_for, shown);
  std::printf("\naccuracy %.3f on held-out digits, by a session that loaded the checkpoint\n", reached.scalar());
  std::printf("curves and the graph: tensorboard --logdir %s\n", folder.c_str());
  std::printf("what a step does: %s/trace.json, to be opened in https://ui.perfetto.dev\n", folder.c_str());
  return reached.scalar() >= 0.97f ? 0 : 1;
}
